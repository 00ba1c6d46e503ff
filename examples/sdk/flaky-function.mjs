// A function that fails about half of the time, and is tried again until it succeeds. Start a server first:
//
//   holdfast serve --with-worker
//
// then, with HOLDFAST_SERVER (and HOLDFAST_TOKEN) where it is not on this machine:
//
//   node flaky-function.mjs
import assert from 'node:assert/strict';
import { connect } from 'holdfast';

const client = connect();

/** Fails about half of the time. */
function flakyJob() {
  if (Math.random() < 0.5) throw new Error('Random failure');
  return 'success';
}

const job = await client.submit({
  entrypoint: flakyJob,
  name: 'flaky-job',
  resources: { cpu: 1, memory: '512m' },
  // 12 failures in a row are one run in 8,000.
  retry: { max_retries_failure: 12, initial_delay: 0.05, max_delay: 0.2 },
});

const status = await client.wait(job, { timeout: 60 });
assert.equal(status.state, 'SUCCEEDED');
assert.equal(status.output, 'success');
console.log(`Succeeded after ${status.failure_count + 1} attempts`);

await client.close();
