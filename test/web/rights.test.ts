import { allocationBehaviour } from './allocation-behaviour.ts';
import { browserTests } from './browser-tests.ts';
import { rightsBehaviour } from './rights-behaviour.ts';

browserTests({
  'what belongs to others': rightsBehaviour,
  'allocations of a cluster': allocationBehaviour,
});
