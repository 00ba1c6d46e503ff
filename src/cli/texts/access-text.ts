import type { WorkerRecord } from '../../contract/records/records.ts';
import type { CreatedToken, TokenRecord } from '../../contract/records/token.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { View } from '../terminal/view.ts';
import { expiryText } from './lists/tokens.ts';

export const drainedWorkerView: View<WorkerRecord> = {
  json: (worker) => worker,
  table: (worker) => {
    const { running } = worker;
    const left = running === 0 ? 'it holds nothing' : `it ends ${running} running first`;
    return [`${workerText(worker)} takes nothing more and leaves; ${left}`];
  },
  quiet: ({ id }) => [id],
};

export const lostWorkerView: View<WorkerRecord> = {
  json: (worker) => worker,
  table: (worker) => [`${workerText(worker)} was declared lost; its jobs run elsewhere`],
  quiet: ({ id }) => [id],
};

function workerText({ id, host, pid }: WorkerRecord): string {
  return `worker ${id} (process ${pid} on ${visibleText(host)})`;
}

/** The secret is printed nowhere else. */
export const createdTokenView: View<CreatedToken> = {
  json: (token) => token,
  table: (token, style) => [
    `token ${token.id} of ${visibleText(token.name)}, ${token.role}, expires ${expiryText(token, style.now)}`,
    '',
    `  ${token.secret}`,
    '',
    'It is not shown again. Clients read it from a file (--token-file) or from HOLDFAST_TOKEN.',
  ],
  quiet: ({ secret }) => [secret],
};

export const revokedTokenView: View<TokenRecord> = {
  json: (token) => token,
  table: ({ id, name }) => [`token ${id} of ${visibleText(name)} is revoked`],
  quiet: ({ id }) => [id],
};
