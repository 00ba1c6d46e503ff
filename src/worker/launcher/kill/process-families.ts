import { markedToken } from './marker.ts';
import { type ProcessInfo, readProcessTable } from './process-table.ts';

/** Between two looks so close a pid is not given to another process: that takes a round through all pids. */
const PIDS_STAY_MS = 1000;

interface Member {
  startTime: string;
  token: number;
}

/**
 * Which live processes belong to which attempt: those of its session, their descendants, and those that
 * left both but carry its marker. A process once seen in a family stays in it.
 *
 * A pid that belongs to nobody is not read again while it exists: no process joins a family later in its
 * life, and only new processes cost more than a directory entry. A process that shows no environment is the
 * exception: it may be about to become another program.
 */
export class ProcessFamilies {
  readonly #markerPrefix: string;
  readonly #tokenByMainPid = new Map<number, number>();
  /** Main pid by token; null if it is not known. */
  readonly #mainPids = new Map<number, number | null>();
  #members = new Map<number, Member>();
  #strangers = new Set<number>();
  #lookedAt = Number.NEGATIVE_INFINITY;

  constructor(markerPrefix: string) {
    this.#markerPrefix = markerPrefix;
  }

  add(token: number, mainPid: number | null): void {
    this.#mainPids.set(token, mainPid);
    if (mainPid === null) return;
    this.#tokenByMainPid.set(mainPid, token);
    this.#strangers.delete(mainPid);
  }

  remove(token: number): void {
    const mainPid = this.#mainPids.get(token) ?? null;
    this.#mainPids.delete(token);
    if (mainPid !== null && this.#tokenByMainPid.get(mainPid) === token) {
      this.#tokenByMainPid.delete(mainPid);
    }
  }

  /** The live processes of every family, by token. */
  look(): Map<number, ProcessInfo[]> {
    const now = performance.now();
    if (now - this.#lookedAt > PIDS_STAY_MS) this.#strangers.clear();
    this.#lookedAt = now;
    const { pids, processes, environment } = readProcessTable(this.#strangers);
    const undecided = new Set<number>();
    const tokens = this.#assign(processes, (process) => {
      const text = environment(process.pid);
      // Session 0 is that of the kernel's own threads, which never have one.
      if (text === '' && process.session !== 0) undecided.add(process.pid);
      return text ?? '';
    });
    const families = new Map<number, ProcessInfo[]>();
    for (const token of this.#mainPids.keys()) families.set(token, []);
    const members = new Map<number, Member>();
    for (const [pid, process] of processes) {
      const token = tokens.get(pid) ?? null;
      if (token === null) continue;
      members.set(pid, { startTime: process.startTime, token });
      families.get(token)!.push(process);
    }
    this.#members = members;
    const known = this.#strangers;
    // Zombies are not in the table and must not become strangers: their pid is about to be free.
    const isStranger = (pid: number) => processes.has(pid) && !members.has(pid) && !undecided.has(pid);
    this.#strangers = new Set(pids.filter((pid) => known.has(pid) || isStranger(pid)));
    return families;
  }

  #assign(
    processes: ReadonlyMap<number, ProcessInfo>,
    environment: (process: ProcessInfo) => string,
  ): Map<number, number | null> {
    const tokens = new Map<number, number | null>();
    for (const process of processes.values()) {
      const line: number[] = [];
      let token: number | null = null;
      let current: ProcessInfo | undefined = process;
      while (current !== undefined && token === null) {
        const known = tokens.get(current.pid);
        if (known !== undefined) {
          token = known;
          break;
        }
        token = this.#tokenOf(current, environment);
        // Also when it is null: that ends a circle, which reused pids could make.
        tokens.set(current.pid, token);
        line.push(current.pid);
        current = processes.get(current.parent);
      }
      for (const pid of line) tokens.set(pid, token);
    }
    return tokens;
  }

  /** null: nothing about the process itself shows it; its parent may. */
  #tokenOf(process: ProcessInfo, environment: (process: ProcessInfo) => string): number | null {
    const member = this.#members.get(process.pid);
    if (member?.startTime === process.startTime && this.#mainPids.has(member.token)) return member.token;
    const bySession = this.#tokenByMainPid.get(process.session);
    if (bySession !== undefined) return bySession;
    const marked = markedToken(environment(process), this.#markerPrefix);
    return marked !== null && this.#mainPids.has(marked) ? marked : null;
  }
}
