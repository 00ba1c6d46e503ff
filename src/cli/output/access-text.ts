import { formatDuration, formatSize } from '../../core/quantity.ts';
import type { WorkerRecord } from '../../core/records.ts';
import type { CreatedToken, TokenRecord } from '../../core/token.ts';
import { shortTime } from './local-time.ts';
import type { Style } from './styled-line.ts';
import type { TextStyle } from './text-style.ts';
import { type Column, textTable } from './text-table.ts';
import { visibleText } from './visible-text.ts';

const WORKER_STYLES: Record<WorkerRecord['state'], Style> = {
  active: 'green',
  draining: 'yellow',
  lost: 'red',
  retired: 'dim',
};

export function workersTable(workers: WorkerRecord[], style: TextStyle): string[] {
  if (workers.length === 0) return ['no workers'];
  const columns: Column<WorkerRecord>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'STATE', value: ({ state }) => state, style: ({ state }) => WORKER_STYLES[state] },
    { title: 'KIND', value: ({ kind }) => kind },
    { title: 'HOST', value: ({ host }) => host, shrink: 'middle' },
    { title: 'PID', value: ({ pid }) => pid, align: 'right' },
    { title: 'SITE', value: ({ site }) => site },
    { title: 'LABELS', value: ({ labels }) => labels.join(',') || null, shrink: 'end' },
    { title: 'CPUS', value: ({ cpus }) => cpus, align: 'right' },
    { title: 'MEMORY', value: ({ memory_bytes }) => formatSize(memory_bytes), align: 'right' },
    { title: 'GPUS', value: ({ gpus }) => gpus, align: 'right' },
    { title: 'RUNNING', value: ({ running }) => running, align: 'right' },
    { title: 'SINCE', value: ({ registered_at_ms }) => shortTime(registered_at_ms, style.now) },
  ];
  return textTable(columns, workers, style.width, style.paint);
}

export function drainText({ id, host, pid, running }: WorkerRecord): string[] {
  const left = running === 0 ? 'it holds nothing' : `it ends ${running} running first`;
  return [`worker ${id} (process ${pid} on ${visibleText(host)}) takes nothing more and leaves; ${left}`];
}

export function tokensTable(tokens: TokenRecord[], style: TextStyle): string[] {
  if (tokens.length === 0) return ['no tokens'];
  const columns: Column<TokenRecord>[] = [
    { title: 'ID', value: ({ id }) => id, align: 'right' },
    { title: 'NAME', value: ({ name }) => name, shrink: 'middle' },
    { title: 'ROLE', value: ({ role }) => role },
    {
      title: 'STATE',
      value: (token) => tokenState(token, style.now),
      style: (token) => (tokenState(token, style.now) === 'valid' ? 'green' : 'dim'),
    },
    { title: 'CREATED', value: ({ created_at_ms }) => shortTime(created_at_ms, style.now) },
    { title: 'EXPIRES', value: (token) => expiry(token, style.now) },
  ];
  return textTable(columns, tokens, style.width, style.paint);
}

export function createdTokenText(token: CreatedToken, style: TextStyle): string[] {
  return [
    `token ${token.id} of ${visibleText(token.name)}, ${token.role}, expires ${expiry(token, style.now)}`,
    '',
    `  ${token.secret}`,
    '',
    'It is shown this once; only its hash is kept. Clients take it from HOLDFAST_TOKEN.',
  ];
}

export function revokedTokenText({ id, name }: TokenRecord): string[] {
  return [`token ${id} of ${visibleText(name)} is revoked`];
}

export function tokenState({ expires_at_ms, revoked_at_ms }: TokenRecord, now: number): string {
  if (revoked_at_ms !== null) return 'revoked';
  return expires_at_ms !== null && expires_at_ms <= now ? 'expired' : 'valid';
}

function expiry({ expires_at_ms }: TokenRecord, now: number): string {
  if (expires_at_ms === null) return 'never';
  const left = expires_at_ms - now;
  return left <= 0 ? shortTime(expires_at_ms, now) : `in ${formatDuration(left)}`;
}
