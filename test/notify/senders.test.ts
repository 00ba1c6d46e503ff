import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composeMessage, type EdgeFacts } from '../../src/core/notify/message.ts';
import type { NotifyTarget, SmtpSettings } from '../../src/core/notify/notify-model.ts';
import { encodedWords, mailText } from '../../src/notify/mail-text.ts';
import { sendMail } from '../../src/notify/send-mail.ts';
import { sendNotification } from '../../src/notify/send-notification.ts';
import { MAIL_CERTIFICATE } from './mail-certificate.ts';
import { mailServer } from './mail-server.ts';
import { webhook } from './receivers.ts';

const HOSTILE = 'x\r\nBcc: all@example.org\r\n\r\n.\r\nQUIT\x1b[2J<!channel> `*_$(touch hacked)';

const FACTS: EdgeFacts = {
  event: 'failed',
  subject: 'workflow',
  workflow_id: 3,
  run_id: 1,
  name: HOSTILE,
  state: 'failed',
  jobs: { total: 2, completed: 1, failed: 1, canceled: 0, waiting: 0 },
  failures: [{ name: HOSTILE, reason: 'exit code 1' }],
  reason: null,
  at_ms: 1_700_000_000_000,
};

const MESSAGE = composeMessage(FACTS, { title: null, text: null });
const NEVER = new AbortController().signal;

function send(
  target: NotifyTarget,
  more: { smtp?: SmtpSettings; env?: NodeJS.ProcessEnv; cwd?: string } = {},
  signal = NEVER,
) {
  const { smtp = null, env = process.env, cwd = tmpdir() } = more;
  return sendNotification(
    target,
    { facts: FACTS, message: MESSAGE, key: 'k/1', cwd },
    { smtp, traces: null, version: () => '1.0.0', secrets: env, env: process.env },
    signal,
  );
}

function temporary(): string {
  const dir = mkdtempSync(join(tmpdir(), 'holdfast-notify-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

describe('a webhook', () => {
  test('is sent the facts, the message and a key as JSON', async () => {
    const { url, received } = await webhook();
    await send({ kind: 'webhook', url });
    expect(received).toMatchObject([
      {
        path: '/hook/s3cret',
        key: Buffer.from('k/1').toString('base64url'),
        body: { event: 'failed', workflow_id: 3, state: 'failed', idempotency_key: 'k/1', name: HOSTILE },
      },
    ]);
    expect(received[0]!.body.title).not.toMatch(/[\x00-\x1f]/);
  });

  test('takes its address from the environment or from a file', async () => {
    const { url, received } = await webhook();
    const file = join(temporary(), 'url');
    writeFileSync(file, `${url}\n`);
    await send({ kind: 'webhook', url: { env: 'HOOK' } }, { env: { HOOK: url } });
    await send({ kind: 'webhook', url: { file } });
    expect(received).toHaveLength(2);
    await expect(send({ kind: 'webhook', url: { env: 'HOOK' } }, { env: {} })).rejects.toThrow(
      /^variable HOOK has no text$/,
    );
    await expect(
      send({ kind: 'webhook', url: { env: 'HOOK' } }, { env: { HOOK: 'file:///etc/passwd' } }),
    ).rejects.toThrow('must begin with https:// or http://');
  });

  test('that refuses, redirects or is not there is an error without the address', async () => {
    const { url, answer } = await webhook(500);
    const refused = send({ kind: 'webhook', url });
    await expect(refused).rejects.toThrow(/^HTTP 500 no <b>way<\/b>$/);
    answer.status = 302;
    await expect(send({ kind: 'webhook', url })).rejects.toThrow('a redirect is not followed');
    await expect(send({ kind: 'webhook', url: 'http://127.0.0.1:1/s3cret' })).rejects.toThrow(
      /^ECONNREFUSED$/,
    );
    answer.status = null;
    await expect(send({ kind: 'webhook', url }, {}, AbortSignal.timeout(50))).rejects.not.toThrow(/s3cret/);
  });
});

test('a message for Slack mentions nobody and formats nothing', async () => {
  const { url, received } = await webhook();
  await send({ kind: 'slack', url });
  const text = String(received[0]!.body.text);
  expect(text).not.toMatch(/<!|\x1b/);
  expect(text).toContain('&lt;!channel&gt;');
  expect(text.match(/```/g)).toHaveLength(2);
});

describe('a mail', () => {
  const smtp = (port: number, more: Partial<SmtpSettings> = {}): SmtpSettings => ({
    ...{ host: 'localhost', port, tls: 'none', user: null, password: null, from: 'holdfast@example.org' },
    ...more,
  });

  test('is handed to the mail server, and names of jobs add neither headers nor commands', async () => {
    const { port, mails, commands } = await mailServer('plain');
    await send({ kind: 'mail', to: ['a@example.org', 'b@example.org'] }, { smtp: smtp(port) });
    expect(mails).toMatchObject([{ from: 'holdfast@example.org', to: ['a@example.org', 'b@example.org'] }]);
    expect(commands.map((line) => line.split(/[ :]/)[0])).toEqual([
      'EHLO',
      'MAIL',
      'RCPT',
      'RCPT',
      'DATA',
      'QUIT',
    ]);
    const [head, body] = mails[0]!.text.split('\r\n\r\n');
    expect(head!.split(/\r\n(?! )/).map((line) => line.split(':')[0])).toEqual([
      ...['From', 'To', 'Subject', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type'],
      ...['Content-Transfer-Encoding', 'Auto-Submitted'],
    ]);
    expect(Buffer.from(body!, 'base64').toString()).toContain('1 of 2 jobs completed, 1 failed');
  });

  test('is encrypted by STARTTLS and by TLS, and the login is sent only then', async () => {
    const text = mailText({
      from: 'h@example.org',
      to: ['a@example.org'],
      message: MESSAGE,
      key: 'k',
      at: 0,
    });
    for (const mode of ['starttls', 'tls'] as const) {
      const { port, mails, commands } = await mailServer(mode);
      const login = { user: 'u', password: 'right' };
      const settings = { ...smtp(port, { tls: mode }), ...login };
      await sendMail(settings, { to: ['a@example.org'], text }, NEVER, { ca: MAIL_CERTIFICATE });
      expect(mails).toMatchObject([{ isSecure: true, login: '\0u\0right' }]);
      const wrong = sendMail({ ...settings, password: 'wr0ng' }, { to: ['a@example.org'], text }, NEVER, {
        ca: MAIL_CERTIFICATE,
      });
      await expect(wrong).rejects.toThrow(/^the mail server replied to AUTH PLAIN: 535 wrong password$/);
      const before = commands.filter((line) => line.startsWith('AUTH')).length;
      await expect(sendMail(settings, { to: ['a@example.org'], text }, NEVER)).rejects.toThrow(
        /SELF_SIGNED|self-signed/,
      );
      expect(commands.filter((line) => line.startsWith('AUTH'))).toHaveLength(before);
    }
  });

  test('that is refused, or whose server never answers, is an error', async () => {
    const { port } = await mailServer('plain');
    const refused = send({ kind: 'mail', to: ['x@refused.test'] }, { smtp: smtp(port) });
    await expect(refused).rejects.toThrow('RCPT TO:<x@refused.test>: 550 nobody here');
    await expect(send({ kind: 'mail', to: ['a@example.org'] })).rejects.toThrow('mail needs `smtp`');
    const { port: silent } = await webhook(null);
    await expect(
      send({ kind: 'mail', to: ['a@example.org'] }, { smtp: smtp(silent) }, AbortSignal.timeout(100)),
    ).rejects.toThrow('it took too long');
  });

  test('has a subject in encoded words of at most 75 characters', () => {
    const title = 'Über '.repeat(30);
    const words = encodedWords(title).split('\r\n ');
    expect(words.every((word) => word.length <= 75)).toBe(true);
    expect(words.map((word) => Buffer.from(word.slice(10, -2), 'base64').toString()).join('')).toBe(title);
    expect(encodedWords('Workflow 3 nightly failed')).toBe('Workflow 3 nightly failed');
  });
});

describe('a command', () => {
  test('reads the message from stdin, and nothing of it is part of the command', async () => {
    const cwd = temporary();
    await send({ kind: 'command', command: 'cat > got.json; echo "$HOLDFAST_EVENT" > event' }, { cwd });
    expect(JSON.parse(readFileSync(join(cwd, 'got.json'), 'utf8'))).toMatchObject({
      event: 'failed',
      name: HOSTILE,
    });
    expect(readFileSync(join(cwd, 'event'), 'utf8')).toBe('failed\n');
  });

  test('that fails or takes too long is an error, and is killed', async () => {
    await expect(send({ kind: 'command', command: 'echo oh no >&2; exit 3' })).rejects.toThrow(
      /^exit code 3 oh no$/,
    );
    const cwd = temporary();
    const slow = send(
      { kind: 'command', command: 'sleep 600; touch late' },
      { cwd },
      AbortSignal.timeout(100),
    );
    await expect(slow).rejects.toThrow('ended by SIGKILL');
  });
});
