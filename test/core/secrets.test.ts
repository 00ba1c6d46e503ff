import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/core/secrets.ts';

const env = {
  GITHUB_TOKEN: 'ghp_12345',
  DB_PASSWORD: 'a"b\\c',
  MY_APIKEY: 'ghp_12345678',
  PIN_SECRET: '42',
  HOME: '/home/ada',
};
const secrets = new Secrets(env);

describe('secrets', () => {
  test('are told by the names of their variables', () => {
    const names = [
      'token',
      'MY_API_KEY',
      'AWS_ACCESS_KEY_ID',
      'DB_PASSWD',
      'AUTH',
      'PRIVATE_PEM',
      'CREDENTIALS',
    ];
    const plain = ['HOME', 'KEY', 'MONKEY', 'PASS', 'CI'];
    const given = Object.fromEntries([...names, ...plain].map((name) => [name, 'value']));
    const kept = Object.entries(new Secrets({}).environment(given)).filter(([, value]) => value !== '***');
    expect(kept.map(([name]) => name)).toEqual(plain);
  });

  test('are masked wherever they occur in data, in keys too, the longer one first', () => {
    expect(secrets.data({ url: 'x://ghp_12345678@y', list: [{ ghp_12345: 1 }], n: 5, none: null })).toEqual({
      url: 'x://***@y',
      list: [{ '***': 1 }],
      n: 5,
      none: null,
    });
    expect(secrets.text('password a"b\\c, pin 42')).toBe('password ***, pin 42');
  });

  test('leave no trace in the environment, however short they are', () => {
    expect(secrets.environment({ ...env, NOTE: 'ghp_12345' })).toEqual({
      GITHUB_TOKEN: '***',
      DB_PASSWORD: '***',
      MY_APIKEY: '***',
      PIN_SECRET: '***',
      HOME: '/home/ada',
      NOTE: '***',
    });
  });

  test('are found by name in data that contains them', () => {
    expect(secrets.foundIn(['a', 'x-ghp_12345-y'])).toBe('GITHUB_TOKEN');
    expect(secrets.foundIn('a"b\\c')).toBe('DB_PASSWORD');
    expect(secrets.foundIn({ pin: '42' })).toBeUndefined();
    expect(secrets.foundIn(undefined)).toBeUndefined();
  });
});
