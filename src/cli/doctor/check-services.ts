import { HttpConnection } from '../../client/transport/http-connection.ts';
import { endpoints } from '../../contract/endpoints.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext, ServerAccess } from '../command-context.ts';
import { maskDatabaseUrl } from '../config/address-settings.ts';
import type { Check } from '../texts/lists/checks.ts';

/** What the configuration names besides this machine: a server, a database; each only if there is one. */
export async function checkServices(context: CommandContext): Promise<Check[]> {
  const { server, settings } = context;
  const checks: Check[] = [];
  if (server !== null) checks.push(await check('server', () => askServer(server)));
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
