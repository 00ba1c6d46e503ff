import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How often each fault happens, from 0 to 1. */
export interface Faults {
  /** The request is lost. */
  drop: number;
  /** It is carried out, and its answer is lost. */
  dropAnswer: number;
  /** It is carried out twice. */
  double: number;
  /** It takes up to this long. */
  delayMs: number;
}

/** A network between workers and servers that loses, doubles and delays what it carries, and picks a server by chance. */
export class FaultProxy {
  faults: Faults | null = null;
  readonly counts = { drop: 0, dropAnswer: 0, double: 0, delay: 0 };
  readonly #server: Server;
  readonly #backends: () => string[];
  readonly #random: () => number;

  private constructor(backends: () => string[], random: () => number) {
    this.#backends = backends;
    this.#random = random;
    this.#server = createServer((incoming, answer) => void this.#carry(incoming, answer));
    this.#server.keepAliveTimeout = 60_000;
  }

  static async start(backends: () => string[], random = Math.random): Promise<FaultProxy> {
    const proxy = new FaultProxy(backends, random);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #carry(incoming: IncomingMessage, answer: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of incoming) chunks.push(chunk as Buffer);
      const body = Buffer.concat(chunks);
      if (this.#happens('drop')) throw new Error('lost on the way');
      if (this.faults !== null && this.#random() < 0.2) {
        this.counts.delay += 1;
        const { delayMs } = this.faults;
        await new Promise((resolve) => setTimeout(resolve, this.#random() * delayMs));
      }
      if (this.#happens('double')) await this.#forward(incoming, body, null);
      const lost = this.#happens('dropAnswer');
      await this.#forward(incoming, body, lost ? null : answer);
      if (lost) throw new Error('its answer is lost');
    } catch {
      incoming.socket.destroy();
    }
  }

  #happens(fault: 'drop' | 'dropAnswer' | 'double'): boolean {
    const happens = this.faults !== null && this.#random() < this.faults[fault];
    if (happens) this.counts[fault] += 1;
    return happens;
  }

  #forward(
    { method, url, headers }: IncomingMessage,
    body: Buffer,
    answer: ServerResponse | null,
  ): Promise<void> {
    const backends = this.#backends();
    const backend = backends[Math.floor(this.#random() * backends.length)];
    if (backend === undefined) return Promise.reject(new Error('no server is up'));
    return new Promise((resolve, reject) => {
      const outgoing = request(backend + url!, { method: method!, headers, agent: false }, (incoming) => {
        incoming.on('error', reject);
        if (answer === null) {
          incoming.resume();
          incoming.on('end', resolve);
          return;
        }
        answer.writeHead(incoming.statusCode!, incoming.headers);
        incoming.pipe(answer);
        answer.on('finish', resolve);
        answer.on('close', resolve);
      });
      answer?.on('close', () => outgoing.destroy());
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }
}
