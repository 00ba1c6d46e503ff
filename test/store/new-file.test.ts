import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { buildProgram } from '../build-program.ts';

const STORE = await buildProgram('src/store/sqlite/sqlite-store.ts');

/** Waits for the moment, so that all of them come at once. */
const PROGRAM = `import { SqliteStore } from '${STORE}';
while (Date.now() < Number(process.argv[2]));
await new SqliteStore(process.argv[1]).close();`;

function open(path: string, at: number): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, '--', path, String(at)]);
  let problem = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    problem += text;
  });
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0 ? 'opened' : problem)));
}

test('processes that make the same new file at once all open it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-new-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (let round = 0; round < 5; round += 1) {
    const at = Date.now() + 400;
    const opened = await Promise.all(Array.from({ length: 4 }, () => open(join(dir, `${round}.db`), at)));
    expect(opened).toEqual(Array(4).fill('opened'));
  }
});
