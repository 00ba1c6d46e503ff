import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { buildProgram } from '../build-program.ts';
import { NOW, outcomeOf, someInputs } from './sandbox-world.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const HANGS = '[].indexOf.call({ length: 2 ** 53 - 1 }, 1)';
const STOPPED = { problem: 'the sandbox was stopped' };

function newSandbox() {
  const sandbox = new Sandbox();
  onTestFinished(() => sandbox.stop());
  const evaluate = (code: string) => sandbox.evaluate(code, 'body', someInputs(), { now: NOW, seed: 1 });
  return { sandbox, evaluate };
}

test('evaluations are answered in the order in which they were asked for', async () => {
  const { evaluate } = newSandbox();
  const order: number[] = [];
  const codes = ['1', HANGS, 'throw 1', 'for (;;);', HANGS, '2'];
  await Promise.all(codes.map((code, index) => evaluate(code).then(() => order.push(index))));
  expect(order).toEqual([0, 1, 2, 3, 4, 5]);
});

test('the calling thread continues while code hangs', async () => {
  const { sandbox, evaluate } = newSandbox();
  sandbox.warm();
  let isPending = true;
  const result = evaluate(HANGS).finally(() => {
    isPending = false;
  });
  let turns = 0;
  for (; isPending; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(await result).toMatchObject({ ok: false, problem: 'took more than 100 ms' });
  expect(turns).toBeGreaterThan(10);
});

test('one terminated thread after another is replaced', async () => {
  const { evaluate } = newSandbox();
  for (let round = 0; round < 4; round += 1) {
    expect(outcomeOf(await evaluate(HANGS))).toEqual({ problem: 'took more than 100 ms' });
    expect(outcomeOf(await evaluate('attempt'))).toEqual({ value: 2 });
  }
});

test('a stop ends what is evaluated and what waits', async () => {
  const { sandbox, evaluate } = newSandbox();
  await evaluate('1');
  const pending = [HANGS, '1', '2'].map(evaluate);
  await sandbox.stop();
  await sandbox.stop();
  expect((await Promise.all(pending)).map(outcomeOf)).toEqual([STOPPED, STOPPED, STOPPED]);
  expect(outcomeOf(await evaluate('1'))).toEqual(STOPPED);
  sandbox.warm();
});

test('a stop also ends threads that are still being started', async () => {
  const { sandbox, evaluate } = newSandbox();
  sandbox.warm();
  const pending = evaluate('1');
  await sandbox.stop();
  expect(outcomeOf(await pending)).toEqual(STOPPED);
});

test('a process is kept alive by an evaluation, but not by idle threads', async () => {
  const built = await buildProgram('src/sandbox/sandbox.ts');
  const program = `
    import { Sandbox } from '${built}';
    const sandbox = new Sandbox();
    sandbox.warm();
    const inputs = ${JSON.stringify(someInputs())};
    const show = ({ ok, value, problem }) => console.log(ok ? value : problem);
    show(await sandbox.evaluate('attempt + 1', 'body', inputs, { now: 1, seed: 1 }));
    show(await sandbox.evaluate(${JSON.stringify(HANGS)}, 'body', inputs, { now: 1, seed: 1 }));
    show(await sandbox.evaluate('attempt + 2', 'body', inputs, { now: 1, seed: 1 }));`;
  const child = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 50_000,
  });
  expect(child).toMatchObject({ status: 0, stderr: '', stdout: '3\ntook more than 100 ms\n4\n' });
});

test('only the thread loads QuickJS', () => {
  const packages = (file: string): string[] => {
    const text = readFileSync(file, 'utf8');
    const specifiers = [...text.matchAll(/^import (?!type\b)[^;]*?from '([^']+)'/gms)].map(
      (match) => match[1]!,
    );
    return specifiers.flatMap((name) =>
      name.startsWith('.') ? packages(join(dirname(file), name)) : [name],
    );
  };
  const of = (name: string) =>
    packages(join(ROOT, 'src/sandbox', name)).filter((found) => !found.startsWith('node:'));
  expect(of('sandbox.ts')).toEqual([]);
  expect(of('main.ts')).toContain('quickjs-emscripten-core');
});
