import { loadLibC } from './libc.ts';
import { NativeStarter } from './native-starter.ts';
import { nodeStarter } from './node-starter.ts';
import type { Starter } from './starter.ts';

/** The cheapest way to start processes that works here. */
export function loadStarter(): Starter {
  const c = process.env.HOLDFAST_SPAWN === 'child_process' ? null : loadLibC();
  return c === null ? nodeStarter : new NativeStarter(c);
}
