import { networkInterfaces } from 'node:os';
import { HoldfastError } from '../../core/errors.ts';

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const WILDCARDS = new Set(['0.0.0.0', '::', '[::]', '']);

interface RequestOrigin {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  /** The browser sent the cookie by itself, whatever page made it send the request. */
  byCookie: boolean;
}

/**
 * Keeps pages of other sites out: a page cannot choose the Host that its browser sends, not even by pointing its own
 * name at this server, nor hide its Origin.
 */
export class HostCheck {
  readonly #allowed: ReadonlySet<string>;

  constructor(listenHost: string, allowHosts: readonly string[]) {
    const own = WILDCARDS.has(listenHost) ? ownAddresses() : [bracketed(listenHost)];
    this.#allowed = new Set(
      [...LOOPBACK, ...own, ...allowHosts.map(bracketed)].map((name) => name.toLowerCase()),
    );
  }

  check({ method, host, origin, byCookie }: RequestOrigin): void {
    if (host === undefined || !this.#allowed.has(hostName(host))) {
      throw refusal(`this server is not called ${printable(host ?? '')}`);
    }
    if (origin !== undefined && originHost(origin) !== withoutDefaultPort(host)) {
      throw refusal(`requests from pages of ${printable(origin)} are not accepted`);
    }
    const reads = method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
    if (byCookie && !reads && origin === undefined) {
      throw refusal('a change with a cookie needs an Origin');
    }
  }
}

/** Without the port. */
function hostName(host: string): string {
  return host.toLowerCase().replace(/:\d+$/, '');
}

function withoutDefaultPort(host: string): string {
  return host.toLowerCase().replace(/:(80|443)$/, '');
}

/** undefined where it is no address: `null`, for instance, which sandboxed pages send. */
function originHost(origin: string): string | undefined {
  const host = /^https?:\/\/([^/?#@\s]+)$/i.exec(origin)?.[1];
  return host === undefined ? undefined : withoutDefaultPort(host);
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) =>
    (addresses ?? []).map(({ address }) => bracketed(address)),
  );
}

/** IPv6 addresses stand in brackets in a Host. */
function bracketed(host: string): string {
  return host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
}

function printable(text: string): string {
  return text.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 100) || 'nothing';
}

function refusal(problem: string): HoldfastError {
  return new HoldfastError('FOREIGN_REQUEST', { problem });
}
