import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Guardian } from '../../src/worker/launcher/guardian.ts';

// A bash whose standard input is a socket takes itself for a remote login, and reads ~/.bashrc, where SHLVL is not set: so
// it is in a service of systemd.
test('a guardian runs nothing of the user, also where no shell started it', async () => {
  const home = mkdtempSync(join(tmpdir(), 'guardian-'));
  const trace = join(home, 'trace');
  writeFileSync(join(home, '.bashrc'), `touch '${trace}'\n`);
  const guardian = new Guardian(`none-${randomUUID()}`);
  const { HOME, SHLVL } = process.env;
  process.env.HOME = home;
  delete process.env.SHLVL;
  try {
    guardian.ensure();
  } finally {
    process.env.HOME = HOME;
    if (SHLVL !== undefined) process.env.SHLVL = SHLVL;
  }
  guardian.lifeline!.end();
  await vi.waitUntil(() => guardian.pid === null, { timeout: 60_000 });
  expect(existsSync(trace)).toBe(false);
});
