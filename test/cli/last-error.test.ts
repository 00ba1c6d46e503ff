import { expect, test } from 'vitest';
import { lastError } from '../../src/cli/logs/last-error.ts';

const around = (line: string) => ['starting', 'reading 3 files', line, 'cleaning up'];

test.each([
  'ValueError: bad header',
  'Traceback (most recent call last):',
  'E: Package not found',
  'bash: ./tool: No such file or directory',
  'FATAL: the database system is starting up',
  "thread 'main' panicked at src/main.rs:3",
  'Segmentation fault (core dumped)',
  'write: No space left on device',
  'slurmstepd: error: Detected 1 oom-kill event(s)',
  'connect: connection refused',
])('%s looks like an error', (line) => {
  expect(lastError(around(line))).toEqual(around(line));
});

test.each(['read 10 of 10', 'errors: none so far', 'undeniable'])('%s does not look like one', (line) => {
  expect(lastError(around(line))).toBeNull();
});

test('the last one counts, with ten lines before and after it', () => {
  const lines = Array.from({ length: 50 }, (_, index) =>
    index === 5 || index === 30 ? 'Error' : `${index}`,
  );
  const shown = lastError(lines)!;
  expect([shown[0], shown[10], shown.at(-1)]).toEqual(['20', 'Error', '40']);
});
