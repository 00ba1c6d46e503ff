import { apiPageBehaviour } from './api-page-behaviour.ts';
import { browserTests } from './browser-tests.ts';
import { flowBehaviour } from './flow-behaviour.ts';
import { reportBehaviour } from './report-behaviour.ts';
import { specBehaviour } from './spec-behaviour.ts';

browserTests({
  specs: specBehaviour,
  'the API page': apiPageBehaviour,
  'ways through the pages': flowBehaviour,
  'a report': reportBehaviour,
});
