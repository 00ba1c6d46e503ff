import { mayDo } from '../../contract/roles.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext, Invocation } from '../command-context.ts';

/** Refuses `--with-worker` before anything is created if the token for it is not a worker's. */
export async function checkMayWork(
  { server }: Pick<CommandContext, 'server'>,
  { withWorker, workerTokenFile }: Invocation['options'],
): Promise<void> {
  if (withWorker !== true && workerTokenFile !== undefined) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--worker-token-file',
      problem: 'only with --with-worker',
    });
  }
  if (withWorker !== true || server === null) return;
  // With a server only: the descriptions of all endpoints take longer to load than a spec takes to read.
  const { HttpConnection } = await import('../../client/transport/http-connection.ts');
  const { endpoints } = await import('../../contract/endpoints.ts');
  const connection = new HttpConnection({ url: server.url, token: server.workerToken ?? server.token });
  try {
    const { role } = await connection.call(endpoints.whoAmI);
    if (mayDo(role, 'worker')) return;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--with-worker',
      problem: `needs a token with the role worker, and this one has ${role}; --worker-token-file names a file that has one`,
    });
  } finally {
    connection.close();
  }
}
