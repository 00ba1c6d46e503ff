import { describe, expect, test } from 'vitest';
import { COMMANDS } from '../../src/cli/command-table.ts';
import { hintCommand } from '../../src/cli/texts/parts/hint-command.ts';
import type { Hint } from '../../src/contract/records/hint.ts';
import { hint as hintSchema } from '../../src/contract/schemas/hint.ts';
import type { Cause } from '../../src/core/job/outcome.ts';
import { hintText, nextStep } from '../../src/mcp/hint-text.ts';
import { TOOL_NAMES } from '../../src/mcp/tool-table.ts';
import { continueHint, nextHints } from '../../src/views/hints.ts';
import { attempt, counts, job, status, textStyle, worker } from '../cli/records.ts';

/** One of each kind, with the command and the words for an agent. */
const HINTS: { [K in Hint['kind']]: [Extract<Hint, { kind: K }>, command: string, forAgents: RegExp] } = {
  run: [{ kind: 'run', workflow: 3 }, 'run 3', /`holdfast run 3`/],
  wait: [{ kind: 'wait', workflow: 3 }, 'run 3', /get_workflow_status/],
  resume: [{ kind: 'resume', workflow: 3 }, 'resume 3', /`holdfast resume 3`/],
  cancel: [{ kind: 'cancel', workflow: 3 }, 'cancel 3', /`holdfast cancel 3`/],
  failures: [{ kind: 'failures', workflow: 3 }, 'failures 3', /list_failed_jobs/],
  resolve: [{ kind: 'resolve', workflow: 3 }, 'resolve 3', /list_pending_failed_jobs/],
  recover: [{ kind: 'recover', workflow: 3 }, 'recover 3', /recover_workflow.*`holdfast recover 3`/],
  reset: [
    { kind: 'reset', workflow: 3, failed_only: true },
    'reset-status 3 --failed-only',
    /`holdfast reset-status 3 --failed-only`/,
  ],
  reinitialize: [{ kind: 'reinitialize', workflow: 3 }, 'reinitialize 3', /`holdfast reinitialize 3`/],
  retry: [{ kind: 'retry', workflow: 3, jobs: ['a'] }, 'retry 3 a', /`holdfast retry`/],
  retry_failed: [{ kind: 'retry_failed', workflow: 3 }, 'retry 3 --failed', /`holdfast retry 3 --failed`/],
  continue: [{ kind: 'continue', workflow: 3 }, 'run SPEC --continue 3', /`holdfast run SPEC --continue 3`/],
  explain: [{ kind: 'explain', workflow: 3, job: 'a' }, 'explain 3 a', /explain_job with job_id "a"/],
  logs: [
    { kind: 'logs', workflow: 3, job: 'a', follow: false },
    'logs 3 a --stderr',
    /get_job_logs with job_id "a"/,
  ],
  jobs: [
    { kind: 'jobs', workflow: 3, statuses: ['failed', 'canceled'] },
    'jobs 3 --status failed,canceled',
    /list_jobs_by_status.*failed, canceled/,
  ],
};

describe('a hint', () => {
  const commands = COMMANDS.map(({ usage }) => usage.split(' ')[0]!);

  test.each(Object.values(HINTS))('%j is a command, words for an agent, and public JSON', (...expected) => {
    const [hint, command, forAgents] = expected;
    expect(hintCommand(hint, textStyle())).toBe(`holdfast ${command}`);
    expect(commands).toContain(command.split(' ')[0]);
    const text = hintText(hint);
    expect(text).toMatch(forAgents);
    for (const [tool] of text.matchAll(/\b[a-z]+(?:_[a-z]+)+\b/g)) {
      if (tool !== 'job_id') expect(TOOL_NAMES).toContain(tool);
    }
    expect(hintSchema.parse(hint)).toEqual(hint);
  });

  test('names the log that is still written, several jobs, and the whole of a new run', () => {
    const command = (hint: Hint) => hintCommand(hint, textStyle());
    expect(command({ kind: 'logs', workflow: 3, job: 'a', follow: true })).toBe('holdfast logs 3 a -f');
    expect(command({ kind: 'retry', workflow: 3, jobs: ['a', 'b'] })).toBe('holdfast retry 3 a b');
    expect(command({ kind: 'reset', workflow: 3, failed_only: false })).toBe('holdfast reset-status 3');
    expect(command({ kind: 'run', workflow: 3, until: ['a', 'b'] })).toBe(
      'holdfast run 3 --until a --until b',
    );
  });
});

describe('what comes next', () => {
  const kinds = (hints: Hint[]) => hints.map(({ kind }) => kind);
  const waiting = counts({ completed: 1, pending_failed: 2 });
  const failed = status({ complete: true, exit_code: 1, counts: counts({ failed: 1 }) });
  const failure = (cause: Cause) => ({
    job: job({ status: 'failed' }),
    attempt: attempt({ cause }),
    stderr: [],
    jobs: 1,
    alike: [] as string[],
  });

  test('is to run what no process drives, and to wait where one does', () => {
    expect(kinds(nextHints(status()))).toEqual(['run']);
    expect(kinds(nextHints(status({ workers: [worker(1)] })))).toEqual(['wait']);
  });

  test('is to decide first where jobs wait for it', () => {
    const open = status({ exit_code: 3, counts: waiting });
    expect(kinds(nextHints(open))).toEqual(['failures', 'resolve', 'run']);
    expect(kinds(nextHints({ ...open, workers: [worker(1)] }))).toEqual(['failures', 'resolve', 'wait']);
    expect(nextStep(open)).toBe('list_pending_failed_jobs shows the jobs that wait for a decision.');
  });

  test('is nothing after success, and a new run where jobs were canceled and none failed', () => {
    const completed = status({ complete: true, exit_code: 0, counts: counts({ completed: 1 }) });
    expect(nextHints(completed)).toEqual([]);
    expect(nextStep(completed)).toBe('Nothing is left to do.');
    expect(nextHints({ ...completed, exit_code: 1, counts: counts({ canceled: 2 }) })).toEqual([
      { kind: 'reset', workflow: 3, failed_only: true },
    ]);
  });

  test('depends on the causes after a failure, where they are known', () => {
    expect(kinds(nextHints(failed))).toEqual(['failures', 'recover']);
    expect(kinds(nextHints(failed, [failure('exit')]))).toEqual(['explain', 'retry', 'continue']);
    expect(kinds(nextHints(failed, [failure('oom')]))).toEqual(['explain', 'recover', 'continue']);
    const many = { ...failed, counts: counts({ failed: 2 }) };
    expect(kinds(nextHints(many, [failure('exit')]))).toEqual([
      'failures',
      'explain',
      'retry_failed',
      'continue',
    ]);
    const alike = { ...failure('exit'), jobs: 2, alike: ['b'] };
    expect(kinds(nextHints(many, [alike]))).toEqual(['explain', 'retry_failed', 'continue']);
    const onDagman = { ...failed, workflow: { ...failed.workflow, executor: 'htcondor' as const } };
    expect(kinds(nextHints(onDagman, [failure('exit')]))).toEqual(['explain', 'retry']);
  });

  test('after a decision is to run, to decide about the rest, or nothing where a process continues', () => {
    const open = status({ exit_code: 3, counts: waiting });
    expect(continueHint(open)).toEqual({ kind: 'resolve', workflow: 3 });
    expect(continueHint({ ...open, counts: { ...waiting, ready: 1 } })).toEqual({ kind: 'run', workflow: 3 });
    expect(continueHint({ ...open, workers: [worker(1)] })).toBeNull();
    expect(continueHint(failed)).toBeNull();
    const until = status({ workflow: { ...open.workflow, until: ['b c'] } });
    expect(continueHint(until)).toEqual({ kind: 'run', workflow: 3, until: ['b c'] });
    expect(nextHints(until)).toEqual([{ kind: 'run', workflow: 3, until: ['b c'] }]);
    const partial = { ...until, exit_code: 0 as const, held: { jobs: 2, ready: 1 } };
    expect(nextHints(partial)).toEqual([{ kind: 'run', workflow: 3 }]);
  });
});
