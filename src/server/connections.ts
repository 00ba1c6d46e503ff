import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections nobody waits on. Node itself takes one on which nothing was ever asked for a busy one, and
 * browsers open such connections in advance.
 */
export class Connections {
  private readonly busy = new Map<Socket, number>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      this.busy.set(socket, 0);
      socket.once('close', () => this.busy.delete(socket));
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.count(socket, 1);
      response.once('close', () => this.count(socket, -1));
    });
  }

  closeIdle(): void {
    for (const [socket, requests] of this.busy) if (requests === 0) socket.destroy();
  }

  private count(socket: Socket, difference: number): void {
    const requests = this.busy.get(socket);
    if (requests !== undefined) this.busy.set(socket, requests + difference);
  }
}
