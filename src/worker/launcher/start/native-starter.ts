import { constants } from 'node:os';
import { getSystemErrorMap } from 'node:util';
import type { LibC } from './libc.ts';
import { LOG_FLAGS, LOG_MODE } from './log-file.ts';
import { SharedEnvironment } from './shared-environment.ts';
import type { Program, ProgramEnvironment, ProgramExit, StartCallbacks, Starter } from './starter.ts';
import { type Arena, layOutArrays, sizeOfArrays, type Texts } from './string-arrays.ts';

const SET_SIGNAL_DEFAULTS = 0x04;
const SET_SIGNAL_MASK = 0x08;
const SET_SESSION = 0x80;
const NO_HANG = 1;

// More than glibc and musl use.
const ACTIONS_BYTES = 256;
const ATTRIBUTES_BYTES = 1024;
const SIGNAL_SET_BYTES = 256;
const FIRST_ARENA_BYTES = 64 * 1024;

/** A start that takes longer waits for something: a file system far away, or a processor. */
const SLOW_START_MS = 20;
/** So many starts after a slow one may be slow too. */
const STARTS_ELSEWHERE = 32;

/** What one call of `posix_spawn` reads and writes until it returns. */
interface Frame {
  actions: Buffer;
  pid: Buffer;
  arena: Arena;
  /** Holds the memory of the shared variables. */
  shared: SharedEnvironment | null;
}

/**
 * Starts processes by `posix_spawn`, which does not copy this process: 0.16 ms of processor time for each where
 * `child_process` takes 0.8 ms, however large this process is. It returns only when the new process has opened its logs and
 * become its program. Mostly that takes less than to wake another thread and to be woken by it; while it does not, it
 * is called on other threads, so that exits and other orders are not kept waiting.
 */
export class NativeStarter implements Starter {
  readonly name = 'posix_spawn';
  readonly #c: LibC;
  readonly #attributes = Buffer.alloc(ATTRIBUTES_BYTES);
  /** An out parameter. */
  readonly #status = Buffer.alloc(4);
  readonly #live = new Map<number, (exit: ProgramExit) => void>();
  /** Those that no call uses now. */
  readonly #frames: Frame[] = [];
  #shared: SharedEnvironment | null = null;
  /** How many of the next starts are made on other threads. */
  #elsewhere = 0;
  #isListening = false;

  constructor(c: LibC) {
    this.#c = c;
    const signals = Buffer.alloc(SIGNAL_SET_BYTES);
    // Node ignores SIGPIPE, and a signal that is ignored stays so in a child.
    checked('prepare signals', c.initAttributes(this.#attributes));
    checked('prepare signals', c.fillSignals(signals));
    checked('prepare signals', c.setSignalDefaults(this.#attributes, signals));
    checked('prepare signals', c.emptySignals(signals));
    checked('prepare signals', c.setSignalMask(this.#attributes, signals));
    const flags = SET_SIGNAL_DEFAULTS | SET_SIGNAL_MASK | SET_SESSION;
    checked('prepare signals', c.setFlags(this.#attributes, flags));
  }

  start(program: Program, { started, exited, failed }: StartCallbacks): void {
    this.#listen();
    const frame = this.#frames.pop() ?? this.#newFrame();
    const { path, name = path } = program;
    const [argv, envp] = this.#layOut(frame, [
      [name, ...program.words],
      this.#entries(frame, program.environment),
    ]);
    this.#planFiles(frame.actions, program);
    this.#spawn([frame.pid, path, frame.actions, this.#attributes, argv!, envp!], (error, errno) => {
      this.#c.destroyActions(frame.actions);
      this.#frames.push(frame);
      if (error !== null || errno !== 0) {
        failed(error ?? systemError('start', errno));
        return;
      }
      const pid = frame.pid.readInt32LE(0);
      started(pid);
      this.#live.set(pid, exited);
      // The signal of its end may have come before its pid.
      this.#reap(pid, exited);
    });
  }

  /** `done` is called later in any case. */
  #spawn(words: Parameters<LibC['posixSpawn']>, done: (error: Error | null, errno: number) => void): void {
    if (this.#elsewhere > 0) {
      this.#elsewhere -= 1;
      this.#c.posixSpawnElsewhere(...words, done);
      return;
    }
    const begunAt = performance.now();
    const errno = this.#c.posixSpawn(...words);
    if (performance.now() - begunAt > SLOW_START_MS) this.#elsewhere = STARTS_ELSEWHERE;
    process.nextTick(done, null, errno);
  }

  killGroup(leader: number): void {
    this.#c.kill(-leader, constants.signals.SIGKILL);
  }

  #planFiles(actions: Buffer, { cwd, stdout, stderr }: Program): void {
    const c = this.#c;
    checked('start', c.initActions(actions));
    try {
      checked('start', c.addOpen(actions, 0, '/dev/null', 0, 0));
      // The new process opens its logs: this one never waits for the file system.
      checked('start', c.addOpen(actions, 1, stdout, LOG_FLAGS, LOG_MODE));
      if (stderr === stdout) checked('start', c.addDup2(actions, 1, 2));
      else checked('start', c.addOpen(actions, 2, stderr, LOG_FLAGS, LOG_MODE));
      checked('start', c.addChdir(actions, cwd));
    } catch (error) {
      c.destroyActions(actions);
      throw error;
    }
  }

  #newFrame(): Frame {
    return {
      actions: Buffer.alloc(ACTIONS_BYTES),
      pid: Buffer.alloc(4),
      arena: this.#newArena(FIRST_ARENA_BYTES),
      shared: null,
    };
  }

  #entries(frame: Frame, { shared, own }: ProgramEnvironment): Texts {
    if (this.#shared?.variables !== shared) {
      this.#shared = new SharedEnvironment(shared, (size) => this.#newArena(size));
    }
    frame.shared = this.#shared;
    return this.#shared.entriesWith(own);
  }

  #layOut(frame: Frame, arrays: readonly Texts[]): bigint[] {
    for (const texts of arrays) {
      for (const text of texts) {
        if (typeof text === 'string' && text.includes('\0')) {
          throw systemError('start', constants.errno.EINVAL);
        }
      }
    }
    const size = sizeOfArrays(arrays);
    if (size > frame.arena.buffer.length) frame.arena = this.#newArena(2 * size);
    return layOutArrays(frame.arena, arrays);
  }

  #newArena(size: number): Arena {
    const buffer = Buffer.alloc(size);
    return { buffer, address: this.#c.addressOf(buffer) };
  }

  #listen(): void {
    if (this.#isListening) return;
    this.#isListening = true;
    // One signal may stand for several children. Those of Node itself are left to it.
    process.on('SIGCHLD', () => {
      for (const [pid, exited] of this.#live) this.#reap(pid, exited);
    });
  }

  #reap(pid: number, exited: (exit: ProgramExit) => void): void {
    if (this.#c.waitPid(pid, this.#status, NO_HANG) !== pid) return;
    this.#live.delete(pid);
    exited(decodeStatus(this.#status.readInt32LE(0)));
  }
}

const SIGNAL_NAMES = new Map(
  Object.entries(constants.signals).map(([name, number]) => [number, name as NodeJS.Signals]),
);

/** The status that `waitpid` returns for a process that has ended. */
export function decodeStatus(status: number): ProgramExit {
  const signal = status & 0x7f;
  if (signal === 0) return { code: (status >> 8) & 0xff, signal: null };
  // A real-time signal has no name here; a shell would report it as 128 + n.
  const name = SIGNAL_NAMES.get(signal);
  return name === undefined ? { code: 128 + signal, signal: null } : { code: null, signal: name };
}

function checked(action: string, errno: number): void {
  if (errno !== 0) throw systemError(action, errno);
}

function systemError(action: string, errno: number): NodeJS.ErrnoException {
  const [code, meaning] = getSystemErrorMap().get(-errno) ?? [`errno ${errno}`, `error ${errno}`];
  const error: NodeJS.ErrnoException = new Error(`cannot ${action}: ${meaning}`);
  error.code = code;
  error.errno = -errno;
  return error;
}
