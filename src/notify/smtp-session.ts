import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { harmlessLine } from '../core/text/harmless-line.ts';

const LONGEST_REPLY = 100_000;
const SHOWN_REPLY = 200;

interface Reply {
  code: number;
  lines: string[];
}

/** One conversation with a mail server: commands one after another, each with its reply. */
export class SmtpSession {
  #socket: Socket;
  #text = '';
  #lines: string[] = [];
  #waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | null = null;
  #ended: Error | null = null;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#listen();
  }

  /** Connected and greeted. */
  static async open(
    place: { host: string; port: number; tls: boolean },
    tls: ConnectionOptions,
    signal: AbortSignal,
  ): Promise<SmtpSession> {
    const { host, port } = place;
    const socket = place.tls
      ? connectTls({ host, port, servername: host, ...tls })
      : connectPlain({ host, port });
    const session = new SmtpSession(socket);
    signal.addEventListener('abort', () => socket.destroy(new Error('it took too long')), { once: true });
    await session.#expect(session.#reply(), [220], 'the greeting');
    return session;
  }

  /** Sends a command. Rejects if the reply is not one of these. `shown`: what messages of errors have instead. */
  async command(line: string, codes: readonly number[], shown = line): Promise<Reply> {
    if (/[\r\n\0]/.test(line)) throw new Error('a command of SMTP must be one line');
    return this.#send(`${line}\r\n`, codes, shown);
  }

  /** The mail itself, ended by a dot. */
  async data(text: string): Promise<void> {
    await this.command('DATA', [354]);
    await this.#send(`${text.replace(/^\./gm, '..')}\r\n.\r\n`, [250], 'the mail');
  }

  /** Everything that follows is encrypted; what came before the encryption is not believed. */
  async startTls(host: string, tls: ConnectionOptions): Promise<void> {
    await this.command('STARTTLS', [220]);
    const plain = this.#socket;
    plain.removeAllListeners('data');
    this.#text = '';
    this.#lines = [];
    const secure = connectTls({ socket: plain, servername: host, ...tls });
    await new Promise<void>((resolve, reject) => {
      secure.once('secureConnect', resolve);
      secure.once('error', reject);
    });
    this.#socket = secure;
    this.#listen();
  }

  close(): void {
    this.#socket.destroy();
  }

  #listen(): void {
    this.#socket.setEncoding('utf8');
    this.#socket.on('data', (text: unknown) => this.#hear(String(text)));
    this.#socket.on('error', (error: NodeJS.ErrnoException) =>
      this.#end(new Error(error.code ?? error.message)),
    );
    this.#socket.on('close', () => this.#end(new Error('the mail server closed the connection')));
  }

  #hear(text: string): void {
    this.#text += text;
    if (this.#text.length > LONGEST_REPLY) this.#end(new Error('the reply of the mail server is too long'));
    for (let end = this.#text.indexOf('\n'); end >= 0; end = this.#text.indexOf('\n')) {
      const line = this.#text.slice(0, end).trimEnd();
      this.#text = this.#text.slice(end + 1);
      this.#lines.push(line);
      if (!/^\d{3}(?: |$)/.test(line)) continue;
      const reply = { code: Number(line.slice(0, 3)), lines: this.#lines };
      this.#lines = [];
      this.#waiting?.resolve(reply);
      this.#waiting = null;
    }
  }

  #end(error: Error): void {
    this.#ended ??= error;
    this.#waiting?.reject(this.#ended);
    this.#waiting = null;
    this.#socket.destroy();
  }

  #reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.#ended !== null) reject(this.#ended);
      else this.#waiting = { resolve, reject };
    });
  }

  #send(text: string, codes: readonly number[], shown: string): Promise<Reply> {
    const reply = this.#reply();
    this.#socket.write(text);
    return this.#expect(reply, codes, shown);
  }

  async #expect(awaited: Promise<Reply>, codes: readonly number[], to: string): Promise<Reply> {
    const reply = await awaited;
    if (codes.includes(reply.code)) return reply;
    const line = harmlessLine(reply.lines.join(' '), SHOWN_REPLY);
    throw new Error(`the mail server replied to ${harmlessLine(to, SHOWN_REPLY)}: ${line}`);
  }
}
