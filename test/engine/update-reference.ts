import type { Draft } from './update-drafts.ts';

/** A job as `docs/fix-and-resume.md` sees it. */
export interface PlainJob {
  /** Everything whose change runs it again, without what it waits for. */
  what: string;
  policy: string;
  needs: ReadonlySet<string>;
  runsAfterFailure: boolean;
}

const fileOf = ({ name, output }: Draft) => `${name}.${output}`;

function filesRead(draft: Draft, drafts: readonly Draft[]): string[] {
  return drafts
    .filter(({ name, size, output }) => draft.reads.includes(name) && size === null && output !== null)
    .map(fileOf);
}

/** The spec as a user writes it; `isReversed` writes the jobs in the other order, which means nothing. */
export function specOf(drafts: readonly Draft[], more: { isReversed: boolean; asks: boolean }): object {
  const jobs = drafts.map((draft) => {
    const { name, size, command, env, output, needs, retries, timeout, priority, runsAfterFailure } = draft;
    const sweeps = drafts.filter((other) => needs.includes(other.name) && other.size !== null);
    const single = needs.filter((need) => !sweeps.some((sweep) => sweep.name === need));
    return {
      name: size === null ? name : `${name}_{i}`,
      command: size === null ? `work ${command}` : `work ${command} {i}`,
      ...(size !== null && { parameters: { i: `1:${size}` } }),
      ...(env > 0 && { env: { VERSION: `${env}` } }),
      ...(output !== null && { output_files: [size === null ? fileOf(draft) : `${fileOf(draft)}.{i}`] }),
      input_files: filesRead(draft, drafts),
      depends_on: single,
      depends_on_regexes: sweeps.map((sweep) => `^${sweep.name}_\\d+$`),
      retry: { max_retries_failure: retries, initial_retry_delay_ms: 0 },
      ...(timeout > 0 && { timeout: `${timeout}h` }),
      priority,
      cancel_on_blocking_job_failure: !runsAfterFailure,
    };
  });
  return {
    name: 'w',
    use_pending_failed: more.asks,
    jobs: more.isReversed ? jobs.reverse() : jobs,
  };
}

/** The jobs of a spec, by name. */
export function plainJobs(drafts: readonly Draft[]): Map<string, PlainJob> {
  const namesOf = ({ name, size }: Draft) =>
    size === null ? [name] : Array.from({ length: size }, (_, index) => `${name}_${index + 1}`);
  const jobs = new Map<string, PlainJob>();
  for (const draft of drafts) {
    const { command, env, output, retries, timeout, priority, runsAfterFailure } = draft;
    const read = filesRead(draft, drafts);
    const needed = drafts.filter((other) => draft.needs.includes(other.name) || read.includes(fileOf(other)));
    for (const name of namesOf(draft)) {
      jobs.set(name, {
        what: JSON.stringify([command, env, output, read.sort(), draft.size === null]),
        policy: JSON.stringify([retries, timeout, priority, runsAfterFailure]),
        needs: new Set(needed.flatMap(namesOf)),
        runsAfterFailure,
      });
    }
  }
  return jobs;
}

/** Jobs that the edited spec has and the other one has not, or that are other ones in it. */
export function differentJobs(
  before: ReadonlyMap<string, PlainJob>,
  after: ReadonlyMap<string, PlainJob>,
): Set<string> {
  const isSame = (a: PlainJob | undefined, b: PlainJob) =>
    a?.what === b.what && a.needs.size === b.needs.size && [...b.needs].every((need) => a.needs.has(need));
  return new Set([...after].filter(([name, job]) => !isSame(before.get(name), job)).map(([name]) => name));
}

/** The jobs and all that wait for them, directly or not. */
export function withDownstream(seeds: Iterable<string>, jobs: ReadonlyMap<string, PlainJob>): Set<string> {
  const found = new Set(seeds);
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const [name, { needs }] of jobs) if ([...needs].some((need) => found.has(need))) found.add(name);
  }
  return found;
}
