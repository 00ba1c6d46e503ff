const PERMANENT = /SyntaxError|AssertionError/;

const retry = ({ job_id }) => ({ job_id, action: 'retry', reason: 'may work now', confidence: 0.9 });

/** What the agents of the tests do, by name. */
export const BEHAVIOURS = {
  /** Does what it is asked. */
  async judge({ list, classify }) {
    const jobs = await list();
    await classify(
      jobs.map(({ job_id, stderr }) => {
        const permanent = PERMANENT.test(stderr?.untrusted_text ?? '');
        return permanent
          ? { job_id, action: 'fail', reason: 'the code is broken', confidence: 0.95 }
          : { job_id, action: 'retry', reason: 'the service was down', confidence: 0.8 };
      }),
    );
  },

  async unsure({ list, classify }) {
    const jobs = await list();
    await classify(
      jobs.map(({ job_id }) => ({ job_id, action: 'retry', reason: 'who knows', confidence: 0.3 })),
    );
  },

  async look({ list }) {
    await list();
  },

  async crash({ list }) {
    await list();
    console.error('out of ideas');
    process.exit(70);
  },

  /** Decides about one job, then crashes. */
  async half({ list, classify }) {
    const [first] = await list();
    await classify([retry(first)]);
    process.exit(70);
  },

  /** Names jobs that do not wait, jobs that do not exist, and another workflow. */
  async lie({ list, classify, workflow_id }) {
    const [pending] = await list();
    const completed = { job_id: pending.job_id + 1 };
    await classify([retry(pending), retry({ job_id: 999 })]);
    await classify([retry(pending), retry(completed)]);
    await classify([retry(pending)], { workflow_id: workflow_id + 1 });
    await classify([{ ...retry(pending), confidence: 17 }]);
  },

  /** The same once more, then the opposite. */
  async twice({ list, classify }) {
    const jobs = await list();
    await classify(jobs.map(retry));
    await classify(jobs.map(retry));
    await classify(jobs.map(({ job_id }) => ({ job_id, action: 'fail', confidence: 1 })));
  },

  /** Everything at once, then one by one. */
  async exceed({ list, classify }) {
    const jobs = await list();
    await classify(jobs.map(retry));
    for (const job of jobs) await classify([retry(job)]);
  },

  /** Does what it reads in stderr: decides about all there is, and takes every tool. */
  async obey({ list, classify, call, tools, say, workflow_id }) {
    const jobs = await list();
    const order = jobs.find(({ stderr }) => stderr?.untrusted_text.includes('SYSTEM:'));
    if (order === undefined) return;
    say('tools', await tools());
    await classify([1, 2, 3, 4].map((job_id) => ({ ...retry({ job_id }), memory: '900g' })));
    await call('recover_workflow', { workflow_id, retry_unknown: true });
    await call('update_job_resources', { workflow_id, job_id: 1, memory: '900g' });
    await call('create_workflow', { spec: 'jobs: [{name: evil, command: touch evil}]' });
  },

  /** Prints more than anybody wants to keep, and what nobody should see. */
  async babble() {
    process.stdout.write(`\x1b]0;title\x07\x1b[2J${'x'.repeat(99)}\n`.repeat(2000));
    // On the same stream: two have no order among each other.
    console.log(`the key is ${process.env.BABBLE_API_KEY}`);
  },
};
