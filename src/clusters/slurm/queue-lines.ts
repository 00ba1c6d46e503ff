import type { AllocationEnd, AllocationView } from '../../contract/cluster.ts';
import { endOfState, liveState } from './job-states.ts';
import { oddAnswer } from './slurm-messages.ts';
import { parseSlurmTime } from './slurm-time.ts';
import { neverStarts } from './waiting-reason.ts';

/** The reason comes last: it alone is free text, so that what separates the fields may occur in it. */
export const QUEUE_FORMAT = '%A|%j|%T|%S|%e|%r';
const QUEUE_LINE = /^(\d+)\|([^|]*)\|([A-Z_]+)\|([^|]*)\|([^|]*)\|(.*)$/;

export const STATE_FORMAT = '%A|%T';
const STATE_LINE = /^(\d+)\|([A-Z_]+)$/;

/** Allocations that wait or run. Any line that is none of `squeue` makes the whole answer worthless. */
export function readQueue(stdout: string, tags: ReadonlySet<string>): AllocationView[] {
  return lines(stdout)
    .map(readView)
    .filter((view) => tags.has(view.tag) && endOfState(view.word) === undefined);
}

function readView(line: string): AllocationView {
  const match = QUEUE_LINE.exec(line);
  if (match === null) throw oddAnswer('squeue', line);
  const [id, tag, word, start, end, reason] = match.slice(1) as [
    string,
    string,
    string,
    string,
    string,
    string,
  ];
  const startsAt = parseSlurmTime(start);
  const endsAt = parseSlurmTime(end);
  if (startsAt === undefined || endsAt === undefined) throw oddAnswer('squeue', line);
  const state = liveState(word);
  const why = state === 'queued' && reason !== 'None' && reason !== '' ? reason : null;
  const never = why !== null && neverStarts(why);
  return { id, tag, state, word, why, never, startsAt, endsAt: state === 'running' ? endsAt : null };
}

/** The state of each allocation that the controller still remembers; null: it has not ended. */
export function readStates(stdout: string): Map<string, AllocationEnd | null> {
  return new Map(
    lines(stdout).map((line) => {
      const match = STATE_LINE.exec(line);
      if (match === null) throw oddAnswer('squeue', line);
      return [match[1]!, endOfState(match[2]!) ?? null];
    }),
  );
}

/** Of accounting, which has a line for each try: the last one counts. Lines that are none of `sacct` are skipped. */
export function readAccounting(stdout: string): Map<string, AllocationEnd> {
  const ends = new Map<string, AllocationEnd>();
  for (const line of lines(stdout)) {
    const [, id, state] = /^(\d+)\|([A-Z_]+)(?: by \d+)?$/.exec(line) ?? [];
    if (id === undefined || state === undefined) continue;
    const end = state === 'REQUEUED' ? 'requeued' : endOfState(state);
    if (end === undefined) ends.delete(id);
    else ends.set(id, end);
  }
  return ends;
}

const lines = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
