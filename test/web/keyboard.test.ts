import { browserTests } from './browser-tests.ts';
import { bulkBehaviour } from './bulk-behaviour.ts';
import { keyboardBehaviour } from './keyboard-behaviour.ts';
import { longBehaviour } from './long-behaviour.ts';

browserTests({
  'the keyboard': keyboardBehaviour,
  'many jobs at once': bulkBehaviour,
  'names, lines, logs and lists that are long': longBehaviour,
});
