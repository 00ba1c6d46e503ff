import { type FreeResources, takeResources } from '../../core/placement/resources.ts';
import { decimalNumber, idParameter, wholeNumber } from '../parameters.ts';
import type { Exchange, ExchangeResult } from '../records/exchange.ts';
import type { WorkerRoom } from '../records/worker-news.ts';

const amount = decimalNumber(0, 4e15);

/** What a worker that waits for news has free, as parameters. */
export const roomQuery = {
  workflow_id: idParameter
    .exactOptional()
    .describe('The only workflow that the worker takes jobs of (default: any).'),
  slots: wholeNumber(0)
    .exactOptional()
    .describe(
      'How many more jobs the worker would start (default: not known). With 0 it is not woken for jobs.',
    ),
  cpus: amount.exactOptional().describe('Free CPUs (default: any number).'),
  memory_bytes: amount.exactOptional().describe('Free memory (default: any amount).'),
  gpus: amount.exactOptional().describe('Free GPUs (default: any number).'),
  nodes: amount.exactOptional().describe('Free nodes (default: nodes are not counted).'),
  default_cpus: amount.exactOptional().describe('CPUs that a job without a requirement takes (default: 1).'),
};

type RoomQuery = { [K in keyof typeof roomQuery]?: number };

/** CPUs are fractions, whose sums are not exact. */
const ROUNDING = 1e-6;

const NOTHING_FREE: FreeResources = { cpus: 0, memory_bytes: 0, gpus: 0, slots: 0, default_cpus: 1 };

/** Reads the parameters. */
export function roomIn({ workflow_id, slots, ...given }: RoomQuery): WorkerRoom {
  const any = Number.POSITIVE_INFINITY;
  const free = { cpus: any, memory_bytes: any, gpus: any, default_cpus: 1, ...given };
  return { workflow_id: workflow_id ?? null, free: slots === undefined ? null : { ...free, slots } };
}

/** Writes the parameters. */
export function queryOf({ workflow_id, free }: WorkerRoom): RoomQuery {
  const amounts = Object.entries(free ?? {}).map(([name, value]) => [name, Math.max(0, rounded(value))]);
  return {
    ...(workflow_id !== null && { workflow_id }),
    ...(Object.fromEntries(amounts) as Partial<FreeResources>),
  };
}

/** What a worker has free after an exchange: what it offered, without what it was given. */
export function roomAfter(
  { capacity, ...exchange }: Pick<Exchange, 'capacity' | 'workflow_id'>,
  { claims }: Pick<ExchangeResult, 'claims'>,
): WorkerRoom {
  const workflow_id = exchange.workflow_id ?? null;
  if (capacity === null) return { workflow_id, free: NOTHING_FREE };
  const { time_left_ms: _, ...free } = capacity;
  for (const { requirement } of claims) takeResources(free, requirement);
  return { workflow_id, free };
}

/** Something is free of which there was less before, so that more jobs may fit. */
export function hasGrown(before: WorkerRoom, after: WorkerRoom): boolean {
  if (before.free === null || after.free === null) return before.free !== null;
  const [was, is] = [before.free, after.free];
  return (['slots', 'cpus', 'memory_bytes', 'gpus', 'nodes'] as const).some(
    (name) => (is[name] ?? 0) > (was[name] ?? 0) + ROUNDING,
  );
}

/** As a decimal that is not written with an exponent. */
function rounded(amount: number): number {
  return Math.round(amount * 1e6) / 1e6;
}
