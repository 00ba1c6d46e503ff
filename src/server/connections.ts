import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIPv6, type Socket } from 'node:net';

export interface ConnectionLimits {
  /** From one address; those of trusted proxies, which speak for many, are not counted. */
  perAddress: number;
  /** Of all addresses together. */
  most: number;
}

export const DEFAULT_CONNECTION_LIMITS: ConnectionLimits = { perAddress: 1_000, most: 10_000 };

interface Connection {
  address: string;
  requests: number;
}

/**
 * Knows which connections nobody waits on. Node itself takes one on which nothing was ever asked for a busy one, and
 * browsers open such connections in advance. Where there are too many, the one that has been idle for longest ends, so
 * that silent connections keep nobody out; where all are busy, the new one does.
 */
export class Connections {
  /** Those that have been idle for longest come first. */
  readonly #open = new Map<Socket, Connection>();
  readonly #byAddress = new Map<string, Set<Socket>>();
  readonly #limits: ConnectionLimits;

  constructor(server: Server, limits: ConnectionLimits, proxies: readonly string[]) {
    this.#limits = limits;
    const trusted = blockList(proxies);
    server.on('connection', (socket) => {
      const address = isTrusted(trusted, socket) ? '' : networkOf(socket.remoteAddress ?? '');
      if (!this.#makeRoom(address)) {
        socket.destroy();
        return;
      }
      this.#add(socket, address);
    });
    server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
      this.#count(socket, 1);
      response.once('close', () => this.#count(socket, -1));
    });
  }

  closeIdle(): void {
    for (const [socket, { requests }] of this.#open) if (requests === 0) socket.destroy();
  }

  /** False if every connection that could make room is in use. */
  #makeRoom(address: string): boolean {
    const { perAddress, most } = this.#limits;
    const own = this.#byAddress.get(address);
    if (address !== '' && own !== undefined && own.size >= perAddress) return this.#endIdle(own);
    return this.#open.size < most || this.#endIdle(this.#open.keys());
  }

  #endIdle(sockets: Iterable<Socket>): boolean {
    for (const socket of sockets) {
      if (this.#open.get(socket)?.requests !== 0) continue;
      this.#forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #add(socket: Socket, address: string): void {
    this.#open.set(socket, { address, requests: 0 });
    const own = this.#byAddress.get(address) ?? new Set();
    this.#byAddress.set(address, own.add(socket));
    socket.once('close', () => this.#forget(socket));
  }

  #forget(socket: Socket): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    this.#open.delete(socket);
    const own = this.#byAddress.get(connection.address);
    own?.delete(socket);
    if (own?.size === 0) this.#byAddress.delete(connection.address);
  }

  #count(socket: Socket, difference: number): void {
    const connection = this.#open.get(socket);
    if (connection === undefined) return;
    connection.requests += difference;
    if (connection.requests > 0) return;
    // It has been idle for the shortest time of all.
    this.#open.delete(socket);
    this.#open.set(socket, connection);
    const own = this.#byAddress.get(connection.address);
    own?.delete(socket);
    own?.add(socket);
  }
}

/** Whoever has one IPv6 address has the 2^64 of its network. */
export function networkOf(address: string): string {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  if (!isIPv6(plain)) return plain;
  const [head = '', tail] = plain.split('::');
  const groups = head === '' ? [] : head.split(':');
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length);
  const all = [...groups, ...Array<string>(missing).fill('0'), ...(tail ? tail.split(':') : [])];
  return all
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
}

function blockList(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits] = proxy.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function isTrusted(list: BlockList, { remoteAddress = '' }: Socket): boolean {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '');
  return address !== '' && list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
