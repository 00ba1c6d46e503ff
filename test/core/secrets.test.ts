import { describe, expect, test } from 'vitest';
import { Secrets } from '../../src/core/text/secrets.ts';

const env = {
  GITHUB_TOKEN: 'ghp_12345',
  DB_PASSWORD: 'a"b\\c',
  MY_APIKEY: 'ghp_12345678',
  PIN_SECRET: '42',
  HOME: '/home/ada',
};
const secrets = new Secrets([env]);

describe('secrets', () => {
  test('are recognized by the names of their variables', () => {
    const names = [
      'token',
      'MY_API_KEY',
      'AWS_ACCESS_KEY_ID',
      'DB_PASSWD',
      'AUTH',
      'PRIVATE_PEM',
      'CREDENTIALS',
      'PASS',
      'PGPASSFILE',
      'GPG_PASSPHRASE',
      'DB_PWD',
      'SENTRY_DSN',
      'dsn_2',
      'BEARER',
      'AWS_SESSION',
    ];
    const plain = ['HOME', 'KEY', 'MONKEY', 'PWD', 'OLDPWD', 'WINDSNAP', 'LAWS_URL', 'CI'];
    const given = Object.fromEntries([...names, ...plain].map((name) => [name, 'value']));
    const kept = Object.entries(new Secrets([]).environment(given)).filter(([, value]) => value !== '***');
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

  describe('in a variable with any name', () => {
    const values: [string, string, string[]][] = [
      ['an address', 'postgres://ada:s3cr3t@db:5432/x', ['s3cr3t']],
      ['one without a user', 'redis://:hunter22@cache/0', ['hunter22']],
      ['an encoded password', 'amqps://ada:p%40ss%2Fword@mq', ['p%40ss%2Fword', 'p@ss/word']],
      ['a password with an @', 'postgres://ada:p@ssword@db/x', ['p@ssword']],
      ['a short password', 'postgres://ada:pw@db/x', ['ada:pw@']],
      ['several addresses', 'amqp://a:first1@x,amqp://b:second2@y', ['first1', 'second2']],
      ['a parameter', 'https://x/?user=ada&password=par4meter&b=1', ['par4meter']],
      ['libpq', "host=db user=ada password='with space' dbname=x", ['with space']],
      ['ODBC', 'Server=db;Uid=ada;Pwd=od8cpwd;', ['od8cpwd']],
    ];
    test.each(values)('%s', (_, value, hidden) => {
      const found = new Secrets([{ DATABASE_URL: value }]);
      expect(found.environment({ DATABASE_URL: value })).toEqual({ DATABASE_URL: '***' });
      for (const secret of hidden) {
        expect(found.text(`it is ${secret}.`)).toBe('it is ***.');
        expect(found.text(value)).not.toContain(secret);
      }
    });

    test.each(['http://127.0.0.1:7600/a@b', 'https://ada@example.org:443/x', 'ssh://git@host', 'a: b@c'])(
      'nothing in %s',
      (value) => {
        expect(new Secrets([{ SITE: value }]).texts).toEqual([]);
        expect(new Secrets([]).environment({ SITE: value })).toEqual({ SITE: value });
      },
    );
  });

  test('are masked line by line, in JSON and in addresses, however that is written', () => {
    const secret = 'first "line"\nzwölf/+ 12*\nok\n';
    const masks = new Secrets([{ PEM_SECRET: secret }]);
    const written = [
      secret,
      'first "line"',
      'zwölf/+ 12*',
      JSON.stringify(secret).slice(1, -1),
      'first \\"line\\"',
      'zw\\u00f6lf/+ 12*',
      'zw\\u00f6lf\\/+ 12*',
      encodeURIComponent(secret),
      encodeURIComponent(secret).replaceAll('*', '%2A'),
      encodeURIComponent(secret).toLowerCase(),
      new URLSearchParams({ x: secret }).toString().slice(2),
    ];
    for (const each of written) expect(masks.text(`<${each}>`)).toBe('<***>');
    // Too short to be distinguished from other words.
    expect(masks.text('ok')).toBe('ok');
  });
});
