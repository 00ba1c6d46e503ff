import { describe, expect, test } from 'vitest';
import { itemsIn, NO_CHANGES, readRelease } from '../../web/requests/release-form.ts';

const read = (fields: Partial<typeof NO_CHANGES>) => readRelease({ ...NO_CHANGES, ...fields });

describe('the form of a release', () => {
  test('changes nothing where nothing is written', () => {
    expect(read({ memory: ' ', excluded: '\n \n' })).toEqual({ changes: {}, problems: {} });
  });

  test('becomes the changes that the operation takes', () => {
    const { changes, problems } = read({
      memory: '1.5g',
      retries: '0',
      threshold: '0.25',
      rescues: ' 5 ',
      bans: ['north'],
      excluded: 'a b.root\r\nc.root\n\na b.root',
    });
    expect(problems).toEqual({});
    expect(changes).toEqual({
      memory_mb: 1536,
      retry_count: 0,
      error_hold_threshold: 0.25,
      error_max_rescue_attempts: 5,
      site_bans: ['north'],
      excluded_files: ['a b.root', 'c.root'],
    });
  });

  test.each([
    ['memory', '0'],
    ['memory', 'much'],
    ['memory', '-1g'],
    ['memory', '2000000000000m'],
    ['retries', '1.5'],
    ['retries', '1001'],
    ['retries', '-1'],
    ['threshold', '1.01'],
    ['threshold', '20 %'],
    ['rescues', 'none'],
  ])('says what is wrong with %s %j, and leaves it out', (field, text) => {
    const { changes, problems } = read({ [field]: text });
    expect(Object.keys(problems)).toEqual([field]);
    expect(changes).toEqual({});
  });

  test('keeps blanks around a path, which may belong to it', () => {
    expect(itemsIn(' a\nb ')).toEqual([' a', 'b ']);
  });
});
