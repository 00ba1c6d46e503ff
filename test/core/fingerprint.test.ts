import { describe, expect, test } from 'vitest';
import { fingerprint, normaliseStderr } from '../../src/core/job/fingerprint.ts';

describe('failures that look alike have one fingerprint', () => {
  test.each([
    ['numbers', 'worker 17 lost after 3.5 s', 'worker 4 lost after 120 s'],
    ['addresses', 'segfault at 0x7fff12ab', 'segfault at 0xdeadbeef'],
    ['paths', 'cannot open /data/run1/in.csv', 'cannot open /scratch/job_9/other.csv'],
    ['quoted names', "KeyError: 'alpha'", "KeyError: 'beta'"],
    [
      'ids',
      'request 3f2b8c1e-1111-4222-8333-444455556666 timed out',
      'request 00000000-aaaa-4bbb-8ccc-dddddddddddd timed out',
    ],
    ['times', '2026-01-02T03:04:05Z connection refused', '2025-12-31T23:59:59Z connection refused'],
    ['colours and spaces', '\u001b[31merror:\u001b[0m  bad', 'error: bad'],
    ['what came before the last lines', `${'starting\n'.repeat(50)}a\nb\nc\nd\ne`, 'other\na\nb\nc\nd\ne'],
  ])('but for %s', (_, one, other) => {
    expect(fingerprint('exit', 1, one)).toBe(fingerprint('exit', 1, other));
  });

  test.each([
    ['what they say', fingerprint('exit', 1, 'connection refused'), fingerprint('exit', 1, 'no such file')],
    ['their code', fingerprint('exit', 1, 'x'), fingerprint('exit', 2, 'x')],
    ['their cause', fingerprint('oom', 137, 'x'), fingerprint('signal', 137, 'x')],
  ])('and others differ by %s', (_, one, other) => {
    expect(one).not.toBe(other);
  });

  test('is short enough to type, and bounded work for any stderr', () => {
    expect(fingerprint('exit', 1, '')).toMatch(/^[0-9a-f]{12}$/);
    expect(normaliseStderr(`${'x'.repeat(100_000)}\n`.repeat(3)).length).toBeLessThan(2000);
  });
});
