import type { JobEvent } from './job-events.ts';

/** One job that DAGMan submitted for a node, from its events. */
export interface JobTry {
  /** null: the log does not name it, as where its beginning was cut off. */
  node: string | null;
  cluster: number;
  /** It ran on a machine. */
  started: boolean;
  /** It terminated or was removed. */
  ended: boolean;
  exit_code: number | null;
  signal: number | null;
  /** Why it was held when it was removed, or is held now; null if it is not. */
  hold_reason: string | null;
  /** Why it was removed; null if it was not. */
  removed: string | null;
  slot: string | null;
  /** Attributes of the job and of its machine that the log has, such as MachineAttrGLIDEIN_Site0. */
  attributes: Record<string, string>;
  wall_sec: number | null;
  cpu_sec: number | null;
  memory_mb: number | null;
  /** What its POST script exited with; null: there was none, or it has not ended. */
  post_code: number | null;
}

/** Kept with a try between its events. */
interface OpenTry extends JobTry {
  startedAt: number | null;
}

/** The jobs of a log in the order in which they were submitted. */
export function triesOf(events: readonly JobEvent[]): JobTry[] {
  const tries = new Map<number, OpenTry>();
  for (const event of events) {
    const found = tries.get(event.cluster) ?? newTry(event.cluster);
    tries.set(event.cluster, found);
    found.node ??= nodeIn(event);
    TAKE[event.type]?.(found, event);
  }
  return [...tries.values()].map(({ startedAt: _, ...found }) => found);
}

const TAKE: Record<number, (found: OpenTry, event: JobEvent) => void> = {
  1: (found, event) => {
    found.started = true;
    found.startedAt = event.at;
    found.slot = match(event, /^\s*SlotName: (\S+)/) ?? found.slot;
  },
  5: terminated,
  6: (found, event) => {
    const megabytes = Number(match(event, /^\s*(\d+) +- +MemoryUsage/) ?? Number.NaN);
    if (!Number.isNaN(megabytes)) found.memory_mb = Math.max(found.memory_mb ?? 0, megabytes);
  },
  9: (found, event) => {
    found.ended = true;
    found.removed = event.lines[0]?.trim() || 'removed';
    found.wall_sec = secondsBetween(found.startedAt, event.at);
  },
  12: (found, event) => {
    found.hold_reason = event.lines[0]?.trim() || 'held';
  },
  13: (found) => {
    found.hold_reason = null;
  },
  16: (found, event) => {
    const code = match(event, /return value (-?\d+)/);
    const signal = match(event, /signal (\d+)/);
    found.post_code = code === null ? (signal === null ? null : -Number(signal)) : Number(code);
  },
  28: (found, event) => {
    for (const line of event.lines) {
      const [, name, value] = /^(\w+) = "((?:[^"\\]|\\.)*)"$/.exec(line) ?? [];
      if (name !== undefined) found.attributes[name] = value!.replace(/\\(.)/g, '$1');
    }
  },
};

function terminated(found: OpenTry, event: JobEvent): void {
  found.ended = true;
  const code = match(event, /return value (-?\d+)/);
  const signal = match(event, /Abnormal termination \(signal (\d+)\)/);
  found.exit_code = code === null ? null : Number(code);
  found.signal = signal === null ? null : Number(signal);
  found.wall_sec = secondsBetween(found.startedAt, event.at);
  const [, user, system] =
    /Usr (\d+ [\d:]+), Sys (\d+ [\d:]+) +- +Run Remote Usage/.exec(event.lines.join('\n')) ?? [];
  if (user !== undefined && system !== undefined) found.cpu_sec = daysAndTime(user) + daysAndTime(system);
  const memory = match(event, /^\s*Memory \(MB\) +: +(\d+) +\d+/);
  if (memory !== null) found.memory_mb = Math.max(found.memory_mb ?? 0, Number(memory));
}

/** DAGMan notes the name of the node with the submission, and with the end of the POST script. */
function nodeIn({ type, lines }: JobEvent): string | null {
  if (type !== 0 && type !== 16) return null;
  for (const line of lines) {
    const [, name] = /^\s*DAG Node: (\S+)\s*$/.exec(line) ?? [];
    if (name !== undefined) return name;
  }
  return null;
}

function match({ lines }: JobEvent, pattern: RegExp): string | null {
  for (const line of lines) {
    const found = pattern.exec(line)?.[1];
    if (found !== undefined) return found;
  }
  return null;
}

/** `1 02:03:04` */
function daysAndTime(text: string): number {
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = text.split(/[ :]/).map(Number);
  return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
}

function secondsBetween(from: number | null, to: number | null): number | null {
  return from === null || to === null ? null : Math.max(0, to - from) / 1000;
}

function newTry(cluster: number): OpenTry {
  return {
    node: null,
    cluster,
    started: false,
    ended: false,
    exit_code: null,
    signal: null,
    hold_reason: null,
    removed: null,
    slot: null,
    attributes: {},
    wall_sec: null,
    cpu_sec: null,
    memory_mb: null,
    post_code: null,
    startedAt: null,
  };
}
