import { type AddressInfo, createServer, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { MAIL_CERTIFICATE, MAIL_KEY } from './mail-certificate.ts';

export interface ReceivedMail {
  from: string;
  to: string[];
  text: string;
  isSecure: boolean;
  login: string | null;
}

/** A small mail server. It refuses receivers at `refused.test`. */
export async function mailServer(mode: 'plain' | 'starttls' | 'tls') {
  const mails: ReceivedMail[] = [];
  const commands: string[] = [];
  const sockets = new Set<Socket>();
  const secureOf = (socket: Socket) =>
    new TLSSocket(socket, { isServer: true, key: MAIL_KEY, cert: MAIL_CERTIFICATE });
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (mode === 'tls') talk(secureOf(socket), true, true);
    else talk(socket, false, true);
  });
  function talk(socket: Socket, isSecure: boolean, greets: boolean): void {
    let mail: ReceivedMail = { from: '', to: [], text: '', isSecure, login: null };
    let text = '';
    let isData = false;
    const reply = (line: string) => socket.write(`${line}\r\n`);
    if (greets) reply('220 test ESMTP');
    socket.on('error', () => {});
    const hear = (part: Buffer) => {
      text += part.toString('utf8');
      for (;;) {
        const mark = isData ? '\r\n.\r\n' : '\r\n';
        const end = text.indexOf(mark);
        if (end < 0) return;
        const found = text.slice(0, end);
        text = text.slice(end + mark.length);
        if (isData) {
          isData = false;
          mails.push({ ...mail, text: found.replace(/^\.\./gm, '.') });
          mail = { ...mail, from: '', to: [] };
          reply('250 taken');
          continue;
        }
        commands.push(found);
        if (found.startsWith('EHLO')) socket.write('250-test\r\n250 STARTTLS\r\n');
        else if (found === 'STARTTLS') {
          reply('220 go');
          socket.off('data', hear);
          talk(secureOf(socket), true, false);
          return;
        } else if (found.startsWith('AUTH PLAIN ')) {
          mail.login = Buffer.from(found.slice(11), 'base64').toString();
          reply(mail.login.endsWith('\0right') ? '235 welcome' : '535 wrong password');
        } else if (found.startsWith('MAIL FROM:')) {
          mail.from = found.slice(11, -1);
          reply('250 ok');
        } else if (found.startsWith('RCPT TO:')) {
          const address = found.slice(9, -1);
          if (address.endsWith('@refused.test')) reply('550 nobody here');
          else {
            mail.to.push(address);
            reply('250 ok');
          }
        } else if (found === 'DATA') {
          isData = true;
          reply('354 continue');
        } else if (found === 'QUIT') {
          reply('221 bye');
          socket.end();
        } else reply('500 what');
      }
    };
    socket.on('data', hear);
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, mails, commands };
}
