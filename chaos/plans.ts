import { LEDGER } from './ledger.ts';
import type { Random } from './random.ts';

/** How a job must end, and what it may do on the way. */
export interface Expected {
  status: 'completed' | 'failed' | 'canceled' | 'on call';
  /** Exit codes with which the job itself may fail. */
  codes: number[];
  /** A goto or an edit of the spec may run it again after a success. */
  repeats: boolean;
}

/** A workflow or a request, and what has to come of it whatever breaks. */
export interface Plan {
  name: string;
  spec: object;
  jobs: Record<string, Expected>;
  /** What the campaign answers to jobs that wait for a decision. */
  answers: Record<string, 'retry' | 'fail'>;
  exitCode: 0 | 1;
}

const RETRY = {
  max_retries_failure: 100,
  max_retries_preemption: 1000,
  initial_retry_delay_ms: 100,
  max_retry_delay_ms: 500,
};
const LOST_ONLY = { max_retries_failure: 0, max_retries_preemption: 1000 };

const OK: Expected = { status: 'completed', codes: [], repeats: false };

function work(random: Random): string {
  const seconds = random.chance(0.1) ? random.int(1, 3) : `0.${random.int(1, 5)}`;
  return `${LEDGER}sleep ${seconds}\n`;
}

/** Exits with `code` until the ledger has it so many times. */
const until = (code: number, times: number) => `[ "$(ended ${code})" -ge ${times} ] || finish ${code}\n`;

/** A graph of jobs of which some fail a few times, and one may fail for good. */
export function graph(name: string, random: Random, size: number): Plan {
  const doomed = random.chance(0.4) ? random.int(1, size - 1) : -1;
  const jobs: Plan['jobs'] = {};
  const list = Array.from({ length: size }, (_, index) => {
    const own = `job${index}`;
    const after = index > 1 && random.chance(0.7) ? [`job${random.int(0, index - 1)}`] : [];
    const isBehind = after.some((other) => ['failed', 'canceled'].includes(jobs[other]!.status));
    if (isBehind) jobs[own] = { ...OK, status: 'canceled' };
    else if (index === doomed) jobs[own] = { ...OK, status: 'failed', codes: [3] };
    else jobs[own] = { ...OK, codes: [7] };
    const command =
      index === doomed
        ? `${work(random)}finish 3`
        : `${work(random)}${until(7, random.pick([0, 0, 1, 2]))}finish 0`;
    return { name: own, command, depends_on: after, retry: index === doomed ? LOST_ONLY : RETRY };
  });
  const limit = random.chance(0.3) ? { max_parallel: 2 } : {};
  return {
    name,
    spec: { name, ...limit, jobs: list },
    jobs,
    answers: {},
    exitCode: Object.values(jobs).every(({ status }) => status === 'completed') ? 0 : 1,
  };
}

/** Jobs whose failures have recovery scripts. */
export function recoveries(name: string, random: Random): Plan {
  const names = ['fragile', 'brittle', 'steady'];
  return {
    name,
    spec: {
      name,
      failure_handlers: [
        {
          name: 'repair',
          rules: [
            {
              exit_codes: [7],
              max_retries: 100,
              recovery_script: `echo "recovery $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID -" >> "$CHAOS_DIR/$HOLDFAST_WORKFLOW_ID-$HOLDFAST_JOB_ID"`,
            },
          ],
        },
      ],
      jobs: names.map((own, index) => ({
        name: own,
        command: `${work(random)}${until(7, index === 2 ? 0 : random.int(1, 3))}finish 0`,
        failure_handler: 'repair',
        retry: LOST_ONLY,
        ...(index === 1 && { depends_on: ['fragile'] }),
      })),
    },
    jobs: Object.fromEntries(names.map((own) => [own, { ...OK, codes: [7] }])),
    answers: {},
    exitCode: 0,
  };
}

/** A step that has another one repair what is wrong, and then sends the run back. */
export function routes(name: string, random: Random): Plan {
  const repeats = { ...OK, repeats: true };
  return {
    name,
    spec: {
      name,
      steps: {
        first: { exec: `${work(random)}finish 0` },
        second: {
          exec: `${work(random)}${until(7, random.int(1, 3))}finish 0`,
          on_fail: { run: ['fix'], goto: 'first', retry: { backoff: { delay_ms: 0 } } },
        },
        last: { exec: `${work(random)}finish 0` },
        fix: { exec: `${work(random)}finish 0` },
      },
    },
    jobs: {
      first: repeats,
      second: { ...repeats, codes: [7] },
      last: repeats,
      fix: { ...repeats, status: 'on call' },
    },
    answers: {},
    exitCode: 0,
  };
}

/** Jobs that wait for a decision, each of which the campaign answers. */
export function decisions(name: string, random: Random): Plan {
  const answers = { asked: random.pick(['retry', 'fail'] as const), doubtful: 'retry' as const };
  const isFailed = answers.asked === 'fail';
  const ask = `[ -e "$CHAOS_DIR/approved-$HOLDFAST_WORKFLOW_ID-$HOLDFAST_JOB_ID" ] || finish 4\n`;
  return {
    name,
    spec: {
      name,
      use_pending_failed: true,
      jobs: [
        { name: 'asked', command: `${work(random)}${ask}finish 0` },
        { name: 'doubtful', command: `${work(random)}${ask}finish 0` },
        { name: 'after', command: `${work(random)}finish 0`, depends_on: ['asked', 'doubtful'] },
      ].map((job) => ({ ...job, retry: LOST_ONLY })),
    },
    jobs: {
      asked: { ...OK, status: isFailed ? 'failed' : 'completed', codes: [4] },
      doubtful: { ...OK, codes: [4] },
      after: { ...OK, status: isFailed ? 'canceled' : 'completed' },
    },
    answers,
    exitCode: isFailed ? 1 : 0,
  };
}

/** A range in two rounds; in each, some units fail and are rescued. */
export function request(name: string, random: Random): { name: string; spec: object; total: number } {
  const total = 2 * random.int(4, 7);
  const fails = `case {unit} in *[13579]) ${until(7, 1).trim()} ;; esac\n`;
  return {
    name,
    total,
    spec: {
      kind: 'request',
      name,
      work: { range: { total, per_job: 1 } },
      jobs_per_unit: 2,
      round: { first_units: 2, units: 10 },
      process: {
        command: `${work(random)}${fails}echo {first} > {output}; finish 0`,
        retry: LOST_ONLY,
      },
      merge: { command: `${work(random)}cat {inputs} > {output}; finish 0`, retry: LOST_ONLY },
      errors: {
        cooloff_base_sec: 0.1,
        error_hold_threshold: 1,
        error_max_rescue_attempts: 3,
        site_ban_min_failures: 100000,
      },
    },
  };
}

/** A spec that fails, and its edited form, which must complete without repeating what is done. */
export function edited(name: string, random: Random): { before: Plan; after: Plan } {
  const job = (own: string, end: string, after: string[] = []) => ({
    name: own,
    command: `${work(random)}${end}`,
    depends_on: after,
    retry: RETRY,
  });
  const done = [job('one', `${until(7, 1)}finish 0`), job('two', 'finish 0', ['one'])];
  const broken = { ...job('broken', 'finish 3', ['one']), retry: LOST_ONLY };
  const fixed = { ...broken, command: `${work(random)}finish 0` };
  const last = job('last', 'finish 0', ['broken', 'two']);
  const plan = (list: object[], jobs: Plan['jobs'], exitCode: 0 | 1): Plan => ({
    name,
    spec: { name, jobs: list },
    jobs,
    answers: {},
    exitCode,
  });
  const stays = { one: { ...OK, codes: [7] }, two: OK };
  return {
    before: plan(
      [...done, broken, last],
      {
        ...stays,
        broken: { ...OK, status: 'failed', codes: [3] },
        last: { ...OK, status: 'canceled' },
      },
      1,
    ),
    after: plan(
      [...done, fixed, last, job('added', 'finish 0', ['two'])],
      { ...stays, broken: { ...OK, codes: [3] }, last: OK, added: OK },
      0,
    ),
  };
}
