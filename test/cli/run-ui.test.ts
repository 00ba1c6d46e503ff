import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { makeProject, runCli, startCli, until } from './run-cli.ts';
import { SERVER_MODE } from './server-mode.ts';

const BIN = fileURLToPath(new URL('../../bin/holdfast.js', import.meta.url));
const hasScript = spawnSync('env', ['script', '--version']).stdout?.includes('util-linux') === true;
if (!hasScript) console.log('skipped: a pseudo terminal needs `script` of util-linux');

const SPEC = JSON.stringify({
  name: 'waits',
  jobs: [{ name: 'a', command: 'while [ ! -e go ]; do sleep 0.05; done; exit 3' }],
});

/** With a server the pages are those of the server. */
test.skipIf(SERVER_MODE)(
  'the pages are there while the workflow runs, for this machine alone, and end with it',
  async () => {
    const cwd = makeProject({ 'w.yaml': SPEC });
    const run = startCli(['run', 'w.yaml', '--ui'], { cwd });
    const [, address, base] = await until(
      () => /pages: ((http:\/\/127\.0\.0\.1:\d+)\/workflows\/1)\n/.exec(run.output().stderr),
      'the address is printed',
    );
    const page = await fetch(address!);
    expect([page.status, await page.text()]).toEqual([
      200,
      expect.stringContaining('<title>Holdfast</title>'),
    ]);
    const status = await (await fetch(`${base}/api/v1/workflows/1/status`)).json();
    expect(status).toMatchObject({ workflow: { name: 'waits' }, complete: false });
    const foreign = await fetch(`${base}/api/v1/workflows/1/pause`, {
      method: 'POST',
      headers: { origin: 'http://evil.example', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(foreign.status).toBe(403);
    // A page that stays open does not keep the process.
    const stream = await fetch(`${base}/api/v1/workflows/1/events/stream`);
    onTestFinished(() => stream.body?.cancel().catch(() => {}));
    writeFileSync(join(cwd, 'go'), '');
    expect((await run.ended).code).toBe(1);
    await expect(fetch(address!)).rejects.toThrow();
  },
);

test.skipIf(SERVER_MODE || !hasScript)(
  'on a terminal the pages stay until Ctrl-C after the end, and the exit code is that of the run',
  async () => {
    const cwd = makeProject({ 'w.yaml': SPEC, go: '' });
    const child = spawn(
      'env',
      ['script', '-qefc', `exec ${process.execPath} ${BIN} run w.yaml --ui`, '/dev/null'],
      {
        cwd,
        env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh', XDG_CONFIG_HOME: join(cwd, '.no-config') },
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const ended = new Promise((resolve) => child.on('close', resolve));
    const [, address] = await until(
      () => /the run has ended; (\S+) is there until Ctrl-C/.exec(shown),
      'the end of the run is shown',
    );
    expect((await fetch(address!)).status).toBe(200);
    child.stdin.write('\x03');
    expect(await ended).toBe(1);
  },
);

test.skipIf(SERVER_MODE)('--ui is refused where it would have no effect', async () => {
  const cwd = makeProject({ 'w.yaml': SPEC });
  for (const [args, problem] of [
    [['--ui-port', '7000'], '--ui-port: only with --ui'],
    [['--ui', '--dry-run'], '--ui: not with --dry-run'],
    [['--ui', '--ui-port', '99999'], '--ui-port: must be at most 65535'],
    [['--ui', '--server', 'http://127.0.0.1:1'], '--ui: the server has pages already, at http://127.0.0.1:1'],
  ] as const) {
    const { code, stderr } = await runCli(['run', 'w.yaml', ...args], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  }
});
