import { describe, expect, test } from 'vitest';
import { parseConfigFile } from '../../src/cli/config/config-file.ts';
import { resolveSettings } from '../../src/cli/config/resolve-settings.ts';
import { webhook } from '../notify/receivers.ts';
import { makeProject, runCli } from './run-cli.ts';

async function settingsOf(yaml: string) {
  return resolveSettings({ flags: {}, env: {}, files: [await parseConfigFile(yaml, 'config.yaml')] })
    .settings;
}

describe('notify in the configuration', () => {
  test('has targets by name, a mail server and hosts for specs', async () => {
    const settings = await settingsOf(`notify:
  ops: { slack: { env: SLACK_URL }, on: [failed, held] }
  me: { mail: me@example.org, for: named, title: "{name}" }
smtp: { host: mail.example.org, from: holdfast@example.org, user: u, password: { file: /run/secret } }
notify_hosts: [Hooks.example.org]
`);
    expect(settings.notify).toMatchObject([
      {
        name: 'ops',
        everywhere: true,
        on: ['failed', 'held'],
        target: { kind: 'slack', url: { env: 'SLACK_URL' } },
      },
      { name: 'me', everywhere: false, title: '{name}', target: { kind: 'mail', to: ['me@example.org'] } },
    ]);
    expect(settings.smtp).toMatchObject({ port: 587, tls: 'starttls', password: { file: '/run/secret' } });
    expect(settings.notify_hosts).toEqual(['hooks.example.org']);
  });

  test.each([
    ['notify: { ops: { webhok: https://x } }', 'notify ops: there is no key webhok; did you mean "webhook"?'],
    ['notify: { ops: { on: failed } }', 'notify ops: must have one of webhook, slack, mail, command'],
    [
      'notify: { ops: { command: x, on: fail } }',
      'on must have some of failed, waiting, held, recovered, finished',
    ],
    [
      'notify: { ops: { webhook: "file:///s3cret" } }',
      'webhook must begin with https:// or http://, not file://',
    ],
    ['notify: { ops: { command: x, text: "{nam}" } }', 'text has no placeholder {nam}; did you mean "name"?'],
    ['notify: { "a b": { command: x } }', '"a b" is not a name'],
    ['smtp: { host: h, from: nobody }', 'smtp from must be an address like holdfast@example.org'],
    ['smtp: { host: h, from: a@b, user: u }', 'smtp user and password need each other'],
    [
      'smtp: { host: h, from: a@b, user: u, password: s3cret, tls: none }',
      'smtp a password is not sent without TLS',
    ],
    ['smtp: { hosts: h }', 'smtp there is no key hosts; did you mean "host"?'],
    ['notify_hosts: "https://x"', 'notify_hosts must be names of hosts'],
  ])('refuses %s', async (yaml, message) => {
    const refused = settingsOf(yaml);
    await expect(refused).rejects.toThrow(message);
    await expect(settingsOf(yaml)).rejects.not.toThrow('s3cret');
  });

  test('is tested by `notify test`, and shown without secrets', async () => {
    const hook = await webhook();
    const cwd = makeProject({
      '.holdfast/config.yaml': `notify:
  ops: { webhook: "${hook.url}" }
  gone: { webhook: "http://127.0.0.1:1/s3cret" }
smtp: { host: localhost, from: a@example.org, user: u, password: s3cret }
`,
    });
    const one = await runCli(['notify', 'test', 'ops'], { cwd });
    expect(one).toMatchObject({ code: 0, stdout: expect.stringMatching(/^ok +ops/) });
    expect(hook.received[0]!.body.title).toBe('Test: Workflow 0 example failed');
    const all = await runCli(['notify', 'test'], { cwd });
    expect(all.code).toBe(1);
    expect(all.stdout).toContain('ECONNREFUSED');
    const unknown = await runCli(['notify', 'test', 'opps'], { cwd });
    expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('did you mean "ops"?') });
    for (const output of ['table', 'json']) {
      const shown = await runCli(['config', 'show', '--output', output], { cwd });
      expect(`${shown.stdout}${all.stdout}`).not.toContain('s3cret');
      expect(shown.stdout).toContain(`http://127.0.0.1:${hook.port}/***`);
    }
  });
});
