import { hostname } from 'node:os';
import type { ConnectionOptions } from 'node:tls';
import type { SmtpSettings } from '../core/notify/notify-model.ts';
import { SmtpSession } from './smtp-session.ts';

interface Mail {
  to: readonly string[];
  /** Headers and body. */
  text: string;
}

/** Hands a mail to the mail server. A password is sent only over TLS, or to this machine. */
export async function sendMail(
  smtp: Omit<SmtpSettings, 'password'> & { password: string | null },
  { to, text }: Mail,
  signal: AbortSignal,
  tls: ConnectionOptions = {},
): Promise<void> {
  signal.throwIfAborted();
  const session = await SmtpSession.open({ ...smtp, tls: smtp.tls === 'tls' }, tls, signal);
  try {
    const hello = `EHLO ${hostname().replace(/[^A-Za-z0-9.-]/g, '') || 'localhost'}`;
    await session.command(hello, [250]);
    if (smtp.tls === 'starttls') {
      await session.startTls(smtp.host, tls);
      await session.command(hello, [250]);
    }
    if (smtp.user !== null && smtp.password !== null) {
      const login = Buffer.from(`\0${smtp.user}\0${smtp.password}`).toString('base64');
      await session.command(`AUTH PLAIN ${login}`, [235], 'AUTH PLAIN');
    }
    await session.command(`MAIL FROM:<${smtp.from}>`, [250]);
    for (const address of to) await session.command(`RCPT TO:<${address}>`, [250, 251]);
    await session.data(text);
    await session.command('QUIT', [221]).catch(() => {});
  } finally {
    session.close();
  }
}
