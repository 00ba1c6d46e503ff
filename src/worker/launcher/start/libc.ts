import { createRequire } from 'node:module';
import { endianness } from 'node:os';
import type { LibraryHandle } from 'koffi';

/** Loaded only where it is used, and without the loader of ES modules, which takes longer to start. */
const require = createRequire(import.meta.url);

type SpawnWords = [
  pid: Buffer,
  path: string,
  actions: Buffer,
  attributes: Buffer,
  argv: bigint,
  envp: bigint,
];

/** The functions of the C library that start and await processes. Integers are errno values unless stated otherwise. */
export interface LibC {
  addressOf(buffer: Buffer): bigint;
  /** The thread that calls it waits until the new process has become its program. */
  posixSpawn(...words: SpawnWords): number;
  /** The same on another thread. */
  posixSpawnElsewhere(...words: [...SpawnWords, done: (error: Error | null, errno: number) => void]): void;
  initActions(actions: Buffer): number;
  destroyActions(actions: Buffer): number;
  addOpen(actions: Buffer, fd: number, path: string, flags: number, mode: number): number;
  addDup2(actions: Buffer, fd: number, asFd: number): number;
  addChdir(actions: Buffer, path: string): number;
  initAttributes(attributes: Buffer): number;
  setFlags(attributes: Buffer, flags: number): number;
  setSignalDefaults(attributes: Buffer, set: Buffer): number;
  setSignalMask(attributes: Buffer, set: Buffer): number;
  fillSignals(set: Buffer): number;
  emptySignals(set: Buffer): number;
  /** Returns the pid, 0 if it lives, or -1. */
  waitPid(pid: number, status: Buffer, options: number): number;
  /** Returns 0, or -1. */
  kill(pid: number, signal: number): number;
}

/**
 * null where the library that calls C functions does not load, or where the layouts below are not known to hold: they
 * are those of glibc and musl on 64-bit Linux.
 */
export function loadLibC(): LibC | null {
  if (process.platform !== 'linux' || endianness() !== 'LE') return null;
  try {
    // The binary itself: what the package `koffi` adds is a search for it, and a script at its installation.
    const koffi = require(`@koromix/koffi-linux-${process.arch}`) as typeof import('koffi');
    if (koffi.sizeof('void *') !== 8) return null;
    return bind(koffi.load(null), koffi.address);
  } catch {
    return null;
  }
}

function bind(library: LibraryHandle, addressOf: LibC['addressOf']): LibC {
  const posixSpawn = library.func(
    'int posix_spawn(void *pid, const char *path, void *actions, void *attributes, void *argv, void *envp)',
  );
  return {
    addressOf,
    posixSpawn,
    posixSpawnElsewhere: posixSpawn.async,
    initActions: library.func('int posix_spawn_file_actions_init(void *actions)'),
    destroyActions: library.func('int posix_spawn_file_actions_destroy(void *actions)'),
    addOpen: library.func(
      'int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, uint mode)',
    ),
    addDup2: library.func('int posix_spawn_file_actions_adddup2(void *actions, int fd, int as_fd)'),
    addChdir: library.func('int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)'),
    initAttributes: library.func('int posix_spawnattr_init(void *attributes)'),
    setFlags: library.func('int posix_spawnattr_setflags(void *attributes, int16 flags)'),
    setSignalDefaults: library.func('int posix_spawnattr_setsigdefault(void *attributes, void *set)'),
    setSignalMask: library.func('int posix_spawnattr_setsigmask(void *attributes, void *set)'),
    fillSignals: library.func('int sigfillset(void *set)'),
    emptySignals: library.func('int sigemptyset(void *set)'),
    waitPid: library.func('int waitpid(int pid, void *status, int options)'),
    kill: library.func('int kill(int pid, int signal)'),
  };
}
