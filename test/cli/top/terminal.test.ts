import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { makeProject, runCli, until } from '../run-cli.ts';

const BIN = fileURLToPath(new URL('../../../bin/holdfast.js', import.meta.url));
const hasScript = spawnSync('env', ['script', '--version']).stdout?.includes('util-linux') === true;
if (!hasScript) console.log('skipped: a pseudo terminal needs `script` of util-linux');

const SPEC = {
  name: 'nightly',
  use_pending_failed: true,
  jobs: [
    { name: 'bad', command: "printf 'KeyError\\033[2J\\n' >&2; exit 3" },
    { name: 'good', command: 'true' },
  ],
};

/** Runs a command on a pseudo terminal of 80x24; `shown` is what the terminal was sent. */
function onTerminal(command: string, cwd: string) {
  const child: ChildProcessWithoutNullStreams = spawn(
    'env',
    ['script', '-qefc', `stty cols 80 rows 24; ${command}`, '/dev/null'],
    { cwd, env: { ...process.env, TERM: 'xterm', SHELL: '/bin/sh', XDG_CONFIG_HOME: `${cwd}/.no-config` } },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    ended,
    shown: () => shown,
    press: (keys: string) => void child.stdin.write(keys),
    /** Waits until the text is sent after what was sent so far. */
    see: async (text: string, from = 0) => until(() => shown.indexOf(text, from) >= 0, `${text} is shown`),
  };
}

describe.skipIf(!hasScript)('on a terminal', () => {
  let directory: string;
  beforeAll(async () => {
    directory = makeProject({ 'w.yaml': JSON.stringify(SPEC) });
    await runCli(['run', 'w.yaml'], { cwd: directory });
  });

  test('a failure is found, looked at and decided with keys, and the terminal is left as it was', async () => {
    const echo = "stty -a | grep -oE '[-]?(icanon|echo) '";
    const top = onTerminal(`${process.execPath} ${BIN} top; echo "exit $?"; ${echo}`, directory);
    await top.see('waiting for a decision');
    top.press('4');
    await top.see('FINGERPRINT');
    top.press('\r');
    await top.see('| KeyError');
    top.press('f');
    await top.see('Fail 1 job waiting for a decision?');
    top.press('y');
    await top.see('decided about 1 job');
    top.press('qq');
    await top.ended;
    const [, after = ''] = top.shown().split('\x1b[?25h\x1b[?1049l');
    expect(after.replaceAll('\r', '')).toBe('exit 0\nicanon \necho \n');
    // What the job wrote did not clear the screen: only the program did, once.
    expect(top.shown().split('\x1b[2J')).toHaveLength(2);
    const status = await runCli(['status', '1', '--output', 'quiet'], { cwd: directory });
    expect(status.stdout.trim()).toBe('failed');
  });

  test('a signal leaves the terminal as it was, too', async () => {
    // The shell of `script` becomes the program, whose process is found by the number that it writes first.
    const top = onTerminal(`echo "pid $$."; exec ${process.execPath} ${BIN} top 1`, directory);
    await top.see('[2 Jobs]');
    process.kill(Number(/pid (\d+)\./.exec(top.shown())![1]), 'SIGTERM');
    expect(await top.ended).toBe(130);
    expect(top.shown().endsWith('\x1b[?25h\x1b[?1049l')).toBe(true);
  });
});

test('without a terminal it is refused, with the command that prints the same', async () => {
  const { code, stderr } = await runCli(['top'], { cwd: makeProject() });
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('needs a terminal to draw on; `holdfast status` prints'),
  ]);
});
