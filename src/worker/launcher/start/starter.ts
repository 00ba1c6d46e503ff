/** Variables that many programs share, by the same object for all of them, and those of one program, which win. */
export interface ProgramEnvironment {
  shared: NodeJS.ProcessEnv;
  own: Record<string, string>;
}

/** What is started: a program in a session of its own, with nothing on stdin. */
export interface Program {
  /** Absolute, or seen from `cwd`. */
  path: string;
  /** What the program sees as its own name (default: its path). */
  name?: string;
  words: readonly string[];
  cwd: string;
  environment: ProgramEnvironment;
  /** Absolute paths of the files that its stdout and stderr are appended to: made if they are missing, emptied if not. */
  stdout: string;
  stderr: string;
}

export interface ProgramExit {
  code: number | null;
  signal: NodeJS.Signals | null;
}

/** None of them is called before `start` has returned. */
export interface StartCallbacks {
  started(pid: number): void;
  /** Comes after `started`. */
  exited(exit: ProgramExit): void;
  /** It could not be started; called instead of both. */
  failed(error: Error): void;
}

/** One of the ways to start a process. */
export interface Starter {
  readonly name: 'posix_spawn' | 'child_process';
  /** Throws where it is known at once that the program cannot be started. */
  start(program: Program, callbacks: StartCallbacks): void;
  /** Sends SIGKILL to what is left of a process group. */
  killGroup(leader: number): void;
}
