// Loaded before the program: code that contains HOLD_CODE never reaches the sandbox, and `held` says so.
import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

const post = Worker.prototype.postMessage;
Worker.prototype.postMessage = function (message, ...rest) {
  if (message?.code?.includes(process.env.HOLD_CODE)) writeFileSync('held', '');
  else post.call(this, message, ...rest);
};
