import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { LineWriter, readLines } from '../../src/worker/launcher/line-stream.ts';

test.each([1, 2, 7, 1000, 100_000])('lines arrive whole from chunks of %i bytes', async (size) => {
  const lines = [{ a: 'ä€😀' }, { b: 'x'.repeat(5000) }, { c: 'line\nbreak' }];
  const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const stream = new PassThrough();
  const heard: unknown[] = [];
  readLines(stream, (line) => heard.push(line));
  for (let at = 0; at < bytes.length; at += size) stream.write(bytes.subarray(at, at + size));
  stream.end();
  await once(stream, 'end');
  expect(heard).toEqual(lines);
});

test('lines of one turn share a write, and keep their order', async () => {
  const stream = new PassThrough();
  let writes = 0;
  const write = stream.write.bind(stream) as (...args: unknown[]) => boolean;
  stream.write = ((...args: unknown[]) => {
    writes++;
    return write(...args);
  }) as typeof stream.write;
  const writer = new LineWriter(stream);
  for (const n of [1, 2, 3]) writer.write({ n });
  await new Promise<void>((resolve) => setImmediate(resolve));
  expect(writes).toBe(1);
  stream.end();
  expect(await text(stream)).toBe('{"n":1}\n{"n":2}\n{"n":3}\n');
});
