// A job that fails about half of the time, and is tried again until it succeeds. Start a server first:
//
//   holdfast serve --with-worker
//
// then, with HOLDFAST_SERVER (and HOLDFAST_TOKEN) where it is not on this machine:
//
//   node flaky-job.mjs
import assert from 'node:assert/strict';
import { connect } from 'holdfast';

const client = connect();

const job = await client.submit({
  name: 'flaky-job',
  command: `
    echo "attempt $HOLDFAST_ATTEMPT_ID"
    if [ $((RANDOM % 2)) -eq 0 ]; then echo "Random failure" >&2; exit 1; fi
    echo success
  `,
  resources: { cpu: 1, memory: '512m' },
  // 12 failures in a row are one run in 8,000.
  retry: { max_retries_failure: 12, initial_delay: 0.05, max_delay: 0.2 },
});

for await (const line of client.logs(job)) console.log(line);

const status = await client.wait(job, { timeout: 60 });
assert.equal(status.state, 'SUCCEEDED');
console.log(`Succeeded after ${status.failure_count + 1} attempts`);

await client.close();
