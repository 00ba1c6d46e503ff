import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** A simple query `commit`, as the protocol has it. */
const COMMIT = Buffer.from('commit\0');

/**
 * Stands between a store and its database, and cuts the line at the worst moment: the next commit is made and its
 * answer lost (`after`), or it never arrives (`before`).
 */
export class CuttingProxy {
  readonly url: string;
  cut: 'before' | 'after' | null = null;
  cuts = 0;
  /** How often a client sent something after it had been answered. */
  turns = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server, target: URL) {
    this.#server = server;
    const { port } = server.address() as { port: number };
    const url = new URL(target);
    url.port = String(port);
    this.url = url.href;
    server.on('connection', (client) => this.#join(client, connect(Number(target.port), target.hostname)));
  }

  static async before(databaseUrl: string): Promise<CuttingProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CuttingProxy(server, new URL(databaseUrl));
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, database: Socket): void {
    const end = () => {
      client.destroy();
      database.destroy();
    };
    let isCut = false;
    let isAnswered = true;
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.on('error', end);
      socket.on('close', end);
    }
    client.on('data', (data) => {
      if (isAnswered) this.turns += 1;
      isAnswered = false;
      const mode = data.includes(COMMIT) ? this.cut : null;
      if (mode !== null) {
        this.cut = null;
        this.cuts += 1;
      }
      if (mode === 'before') return end();
      isCut = mode === 'after';
      database.write(data);
    });
    database.on('data', (data) => {
      isAnswered = true;
      if (isCut) end();
      else client.write(data);
    });
  }
}
