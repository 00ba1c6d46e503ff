import type { Script } from './script.ts';

/** One database. Scripts are the only way in; each call is one transaction. */
export interface Store {
  /** A consistent snapshot; never waits for writers. */
  read<T>(script: () => Script<T>): Promise<T>;
  /** All or nothing, durable when the promise resolves. */
  write<T>(script: () => Script<T>): Promise<T>;
  close(): Promise<void>;
}
