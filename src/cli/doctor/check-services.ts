import { HttpConnection } from '../../client/transport/http-connection.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { HoldfastError } from '../../core/errors.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import type { CommandContext, ServerAccess } from '../command-context.ts';
import { maskDatabaseUrl } from '../config/address-settings.ts';
import type { Check } from '../texts/lists/checks.ts';

const LARGEST_SKEW_MS = 5000;

/** What the configuration names besides this machine: a server, a database; each only if there is one. */
export async function checkServices(context: CommandContext): Promise<Check[]> {
  const { server, settings } = context;
  const checks: Check[] = [];
  if (server !== null) {
    const reached = await check('server', () => askServer(server));
    checks.push(reached);
    if (reached.result === 'ok') checks.push(await checkServerClock(server));
  }
  if (settings.database_url !== null) {
    const name = maskDatabaseUrl(settings.database_url);
    checks.push(await check('database', () => askDatabase(context, name)));
  }
  return checks;
}

async function askServer(server: ServerAccess): Promise<string> {
  const connection = new HttpConnection(server);
  try {
    await connection.call(endpoints.ready);
    const { name, role, auth } = await connection.call(endpoints.whoAmI);
    return `${server.url}, ${auth === 'none' ? 'open' : `as ${name}`}, ${role}`;
  } finally {
    connection.close();
  }
}

/** A server sends its time, in seconds, with each answer. */
async function checkServerClock(server: ServerAccess): Promise<Check> {
  const connection = new HttpConnection(server);
  try {
    const date = await connection.ask(endpoints.ready, {}, async (response) => response.headers.get('date'));
    return serverClock(date, Date.now());
  } finally {
    connection.close();
  }
}

export function serverClock(date: string | null, now: number): Check {
  const name = 'server clock';
  const skew = Date.parse(date ?? '') - now;
  if (Number.isNaN(skew)) return { name, result: 'ok', detail: 'the server sends no time', hint: null };
  if (Math.abs(skew) <= LARGEST_SKEW_MS) {
    return { name, result: 'ok', detail: `agrees within ${formatDuration(LARGEST_SKEW_MS)}`, hint: null };
  }
  const detail = `the server is ${formatDuration(Math.abs(skew))} ${skew < 0 ? 'behind' : 'ahead'}`;
  return {
    name,
    result: 'warn',
    detail,
    hint: 'set the clocks, e.g. with NTP: times on screens and due times differ',
  };
}

async function askDatabase(context: CommandContext, name: string): Promise<string> {
  const engine = await context.openServedEngine();
  await engine.ping();
  return name;
}

async function check(name: string, ask: () => Promise<string>): Promise<Check> {
  try {
    return { name, result: 'ok', detail: await ask(), hint: null };
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { name, result: 'fail', detail: error.message, hint: error.hint };
  }
}
