import { chmodSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestContext } from 'vitest';
import type { AttemptRecord, EventRecord, EventType } from '../../src/contract/records/records.ts';
import { jobLabel } from '../../src/core/job/job-label.ts';
import type { JobStatus } from '../../src/core/job/job-status.ts';
import { until } from '../cli/run-cli.ts';
import { World } from './world.ts';

/** One workflow, and what must come of it when it is run with real processes. */
export interface RoutingCase {
  name: string;
  spec: string;
  executions: Executions;
  exit: number;
  /** How jobs end, by their label; only the ones that are named. */
  ends?: Record<string, JobStatus>;
  /** What the reasons of jobs must say, by their label. */
  reasons?: Record<string, RegExp>;
  /** Problems of code that could not be used, in the order in which it was asked. */
  problems?: RegExp[];
  /** Keys whose code could not be used, by the label of the job. */
  failedCode?: Record<string, string[]>;
  /** Of all attempts of a job in order: verdicts, causes of failures, callers. */
  verdicts?: Record<string, string[]>;
  causes?: Record<string, (string | null)[]>;
  callers?: Record<string, (string | null)[]>;
  /** What the attempts of a job at least waited for each other, in ms. */
  waits?: Record<string, number[]>;
  /** What the error of the last attempt of a job must say. */
  errors?: Record<string, RegExp>;
  /** What the summary must say. */
  says?: RegExp[];
  /** What the lines of progress must say. */
  prints?: RegExp[];
  /** Reasons of events, by their type: exactly these, in order. */
  events?: Partial<Record<EventType, RegExp[]>>;
  /** What is done while it runs. */
  meanwhile?: (world: RoutingWorld) => Promise<void>;
  args?: string[];
  files?: Record<string, string | object>;
}

/**
 * All executions: in their one order where the graph leaves no other (`max_parallel: 1` makes it so), or one list
 * for each branch where branches run side by side. A branch fixes the order of the steps it names; together they
 * name all steps that run.
 */
export type Executions = string | { branches: string[] };

/** Backoff of 0 ms, where a re-attempt is not about waiting. */
export const AT_ONCE = 'backoff: { delay_ms: 0 }';

/**
 * `./play NAME CODE…` writes NAME down and exits with the code whose turn it is among the executions of that name;
 * the last one stays for ever, and without any it is 0.
 */
const PLAY = `#!/usr/bin/env bash
name=$1; shift
echo "$name" >> trace
count=0
[ -e "count.$name" ] && read -r count < "count.$name"
echo $((count + 1)) > "count.$name"
[ $# -gt 0 ] || exit 0
shift $((count < $# ? count : $# - 1))
exit "$1"
`;

/** Prints the line whose turn it is among the executions: `./say NAME LINE…`; the last one stays. */
const SAY = `#!/usr/bin/env bash
name=$1; shift
count=0
[ -e "count.$name" ] && read -r count < "count.$name"
./play "$name"
shift $((count < $# ? count : $# - 1))
printf '%s\\n' "$1"
`;

/** Waits for a file that another step makes. */
const AWAIT = `#!/usr/bin/env bash
until [ -e "$1" ]; do sleep 0.02; done
`;

const SCRIPTS = { play: PLAY, say: SAY, await: AWAIT };

/** A world whose steps can play. */
export class RoutingWorld extends World {
  constructor(files: Record<string, string | object>) {
    super({ ...SCRIPTS, ...files });
    for (const script of Object.keys(SCRIPTS)) chmodSync(join(this.dir, script), 0o755);
  }

  fileAppears(name: string): Promise<boolean> {
    return until(() => existsSync(join(this.dir, name)), `there is ${name}`);
  }
}

/** Gone after the test. */
export function routingWorld(
  { onTestFinished }: Pick<TestContext, 'onTestFinished'>,
  files: Record<string, string | object>,
): RoutingWorld {
  const world = new RoutingWorld(files);
  onTestFinished(() => world.destroy());
  return world;
}

/** Runs the workflow of a case and compares; `apart`: with the program in a process of its own. */
export async function playCase(
  routed: RoutingCase,
  context: TestContext,
  { apart }: { apart: boolean },
): Promise<void> {
  const world = routingWorld(context, { 'spec.yaml': routed.spec, ...routed.files });
  const args = ['run', 'spec.yaml', ...(routed.args ?? [])];
  const ended = apart ? world.start(...args).ended : world.run(...args);
  await routed.meanwhile?.(world);
  const { code, stdout, stderr } = await ended;
  expectExecutions(world.lines('trace'), routed.executions, stderr);
  expect(code, `${stdout}${stderr}`).toBe(routed.exit);
  const jobs = new Map((await world.jobs()).map((job) => [jobLabel(job), job]));
  for (const [label, status] of Object.entries(routed.ends ?? {})) {
    expect([label, jobs.get(label)?.status]).toEqual([label, status]);
  }
  for (const [label, reason] of Object.entries(routed.reasons ?? {})) {
    expect(jobs.get(label)?.reason, label).toMatch(reason);
  }
  for (const words of routed.says ?? []) expect(stdout).toMatch(words);
  for (const words of routed.prints ?? []) expect(stderr).toMatch(words);
  if (routed.events !== undefined) expectEvents(await world.events(), routed.events);
  expectAttempts(await world.attempts(), routed);
}

export function expectExecutions(trace: string[], executions: Executions, hint = ''): void {
  if (typeof executions === 'string') {
    expect(trace.join(' '), hint).toBe(executions);
    return;
  }
  const named = new Set(executions.branches.flatMap((branch) => branch.split(' ')));
  expect(
    trace.filter((step) => !named.has(step)),
    `in no branch; ${hint}`,
  ).toEqual([]);
  const found = executions.branches.map((branch) => {
    const steps = new Set(branch.split(' '));
    return trace.filter((step) => steps.has(step)).join(' ');
  });
  expect(found, hint).toEqual(executions.branches);
}

function expectEvents(events: EventRecord[], expected: NonNullable<RoutingCase['events']>): void {
  for (const [type, reasons] of Object.entries(expected)) {
    expect(events.filter((event) => event.type === type).map(({ reason }) => reason)).toEqual(
      reasons.map((reason) => expect.stringMatching(reason)),
    );
  }
}

function expectAttempts(attempts: AttemptRecord[], routed: RoutingCase): void {
  const of = (label: string) =>
    attempts.filter(({ job_name, scope }) => jobLabel({ name: job_name, scope }) === label);
  const each = <T>(expected: Record<string, T> | undefined, found: (own: AttemptRecord[]) => unknown) => {
    for (const [label, value] of Object.entries(expected ?? {})) {
      expect([label, found(of(label))]).toEqual([label, value]);
    }
  };
  const failures = (own: AttemptRecord[]) =>
    own
      .flatMap(({ evaluations }) => evaluations)
      .flatMap(({ key, result }) => (result.ok ? [] : [{ key, ...result }]));

  if (routed.problems !== undefined) {
    expect(failures(attempts).map(({ problem }) => problem)).toEqual(
      routed.problems.map((problem) => expect.stringMatching(problem)),
    );
  }
  each(routed.failedCode, (own) => failures(own).map(({ key }) => key));
  each(routed.verdicts, (own) => own.map(({ verdict }) => verdict));
  each(routed.causes, (own) => own.map(({ cause }) => cause));
  each(routed.callers, (own) => own.map(({ caller }) => caller));
  for (const [label, waits] of Object.entries(routed.waits ?? {})) {
    for (const [index, wait] of waits.entries()) {
      const [before, after] = of(label).slice(index);
      expect(after!.started_at_ms! - before!.finished_at_ms!).toBeGreaterThanOrEqual(wait);
    }
  }
  for (const [label, words] of Object.entries(routed.errors ?? {})) {
    expect(of(label).at(-1)?.error, label).toMatch(words);
  }
}
