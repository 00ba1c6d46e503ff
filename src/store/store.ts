import type { Script } from './script.ts';

/**
 * One database. Scripts are the only way in; each call is one transaction, and each script is given the time: that of
 * the database where several machines share it. A script may be run again from its beginning, if the database asks for
 * it, until it is committed once. One that declares no parameter is given no time, and need not wait for it.
 */
export interface Store {
  /** A transaction is one piece, and everything else in the process waits for it. Absent: it is not. */
  readonly holdsThread?: boolean;
  /** A consistent snapshot; never waits for writers. */
  read<T>(script: (now: number) => Script<T>): Promise<T>;
  /** All or nothing, durable when the promise resolves. */
  write<T>(script: (now: number) => Script<T>): Promise<T>;
  /** Bytes that are left where it stores; null if unknown. */
  freeBytes(): number | null;
  /** Writes a consistent copy of all of it to a new file; refused by a database that is no file. */
  backup(path: string): Promise<void>;
  close(): Promise<void>;
}
