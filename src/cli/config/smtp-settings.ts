import { isMailAddress } from '../../core/notify/check-target.ts';
import type {
  ConfiguredTarget,
  SecretText,
  SmtpSettings,
  TraceSettings,
} from '../../core/notify/notify-model.ts';
import { parseSecret } from './notify-targets.ts';
import { type Parsed, parseKeys } from './parse-keys.ts';

const KEYS = ['host', 'port', 'tls', 'user', 'password', 'from'];
const PORTS = { starttls: 587, tls: 465, none: 25 };
const LAST_PORT = 65_535;
const THIS_MACHINE = ['localhost', '127.0.0.1', '::1'];

/** `{host: mail.example.org, from: holdfast@example.org, user: …, password: {file: …}}`, from YAML or as JSON. */
export function parseSmtp(raw: unknown): Parsed<SmtpSettings | null> {
  const keys = parseKeys(raw, KEYS);
  if ('problem' in keys) return keys;
  if (keys.value === null) return { value: null };
  const written = keys.value;
  const { host, tls = 'starttls', from, user = null } = written;
  if (typeof host !== 'string' || !/^[A-Za-z0-9.:-]+$/.test(host))
    return { problem: 'host must be the name of a mail server' };
  if (tls !== 'starttls' && tls !== 'tls' && tls !== 'none')
    return { problem: 'tls must be starttls, tls or none' };
  const { port = PORTS[tls] } = written;
  if (!Number.isInteger(port) || Number(port) < 1 || Number(port) > LAST_PORT) {
    return { problem: `port must be a number from 1 to ${LAST_PORT}` };
  }
  if (typeof from !== 'string' || !isMailAddress(from))
    return { problem: 'from must be an address like holdfast@example.org' };
  if (user !== null && (typeof user !== 'string' || user === ''))
    return { problem: 'user must be a text that is not empty' };
  const password = written.password === undefined ? null : parseSecret(written.password);
  if (password !== null && 'problem' in password) return { problem: `password ${password.problem}` };
  if ((user === null) !== (password === null)) return { problem: 'user and password need each other' };
  if (user !== null && tls === 'none' && !THIS_MACHINE.includes(host)) {
    return { problem: 'a password is not sent without TLS; write tls: starttls or tls: tls' };
  }
  return { value: { host, port: Number(port), tls, user, password: password?.value ?? null, from } };
}

export function showSmtp(smtp: SmtpSettings | null): string {
  if (smtp === null) return 'none';
  const { host, port, tls, user, from } = smtp;
  return `${host}:${port} (${tls}) as ${from}${user === null ? '' : `, user ${user}`}`;
}

export function maskSmtp(smtp: SmtpSettings | null): SmtpSettings | null {
  return smtp === null || typeof smtp.password !== 'string' ? smtp : { ...smtp, password: '***' };
}

/** Variables of the environment that have secrets of notifications and traces: no job may see them. */
export function secretVariables(settings: {
  notify: readonly ConfiguredTarget[];
  smtp: SmtpSettings | null;
  traces: TraceSettings | null;
}): string[] {
  const { notify, smtp, traces } = settings;
  const secrets: (SecretText | null)[] = notify.map(({ target }) => ('url' in target ? target.url : null));
  return [...secrets, smtp?.password ?? null, ...Object.values(traces?.headers ?? {})].flatMap((secret) =>
    typeof secret === 'object' && secret !== null && 'env' in secret ? secret.env : [],
  );
}

/** Hosts that specs may name in `notify`. */
export function parseHosts(raw: unknown): Parsed<string[]> {
  const hosts = typeof raw === 'string' ? raw.split(',').map((each) => each.trim()) : raw;
  if (
    !Array.isArray(hosts) ||
    !hosts.every((each) => typeof each === 'string' && /^(?:\*|[A-Za-z0-9.-]+)$/.test(each))
  ) {
    return { problem: 'must be names of hosts, without a scheme or a port, or *' };
  }
  return { value: hosts.map((host: string) => host.toLowerCase()) };
}
