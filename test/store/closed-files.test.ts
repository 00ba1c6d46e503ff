import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { openEngine } from '../../src/engine/open-engine.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Files below the directory that this process has open. */
function openFiles(directory: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${fd}`);
      return path.startsWith(directory) ? [path] : [];
    } catch {
      return [];
    }
  });
}

test.runIf(process.platform === 'linux')('the files of closed stores do not stay open', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-store-'));
  for (let index = 0; index < 10; index += 1) {
    const engine = await openEngine({ dir: join(directory, String(index)), create: true });
    await engine.listWorkflows();
    await engine.close();
    collectGarbage();
  }
  // One more turn, for those that were collected last.
  const engine = await openEngine({ dir: join(directory, 'last'), create: true });
  await engine.close();
  const last = openFiles(directory).filter((path) => !path.includes('/last/'));
  expect(last).toEqual([]);
});
