import { type ErrandTools, FinalFailure } from '../contract/records/errand.ts';
import type { TraceOrder } from '../contract/records/trace.ts';
import { NOTIFY_TIMEOUT_MS } from '../core/notify/retry-delays.ts';
import { harmlessLine } from '../core/text/harmless-line.ts';
import { otlpJson } from './otlp-json.ts';
import { postJson } from './post-json.ts';
import { readSecret } from './read-secret.ts';
import type { SendingPlace } from './send-notification.ts';

const SHOWN_REASON = 200;

/** What an errand for spans has, as the engine stores it. */
export interface TraceErrand {
  trace: TraceOrder;
}

/** Sends the spans of an order, a page at a time. A try that fails in the middle is repeated from there. */
export async function sendTrace(
  errand: TraceErrand,
  { traces, secrets, version }: SendingPlace,
  signal: AbortSignal,
  tools: Pick<ErrandTools, 'readSpans' | 'keep'>,
): Promise<null> {
  if (traces === null) throw new Error('the configuration has no `traces`');
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(traces.headers))
    headers[name] = await readSecret(value, secrets);
  const resource = { 'service.name': traces.service_name, ...traces.attributes };
  let rejected: string | null = null;
  for (let order: TraceOrder | null = errand.trace; order !== null; ) {
    const { spans, rest } = await tools.readSpans(order);
    if (spans.length > 0) {
      const page = otlpJson(spans, resource, version());
      const answer = await inTime(signal, (limit) => postJson(traces.endpoint, page, headers, limit));
      rejected = rejectionIn(answer) ?? rejected;
    }
    order = rest;
    if (order !== null) await tools.keep({ ...errand, trace: order });
  }
  if (rejected !== null) throw new FinalFailure(rejected);
  return null;
}

/** A page has as long as a message, however many there are. */
async function inTime<T>(signal: AbortSignal, send: (limit: AbortSignal) => Promise<T>): Promise<T> {
  // Not `AbortSignal.timeout`: Node 20 may collect one that only another signal follows, and then neither is ever aborted.
  const timed = new AbortController();
  const timer = setTimeout(() => timed.abort(), NOTIFY_TIMEOUT_MS);
  try {
    return await send(AbortSignal.any([signal, timed.signal]));
  } catch (error) {
    throw timed.signal.aborted ? new Error('it took too long') : error;
  } finally {
    clearTimeout(timer);
  }
}

/** What a collector that answers 200 did not take all the same, which must not be sent again; null: it took everything. */
function rejectionIn(answer: string): string | null {
  let partial: { rejectedSpans?: number | string; errorMessage?: string } | undefined;
  try {
    ({ partialSuccess: partial } = JSON.parse(answer) as { partialSuccess?: typeof partial });
  } catch {
    // Some collectors answer with nothing, or with protobuf.
  }
  const count = Number(partial?.rejectedSpans ?? 0);
  if (!(count > 0)) return null;
  const why = harmlessLine(String(partial?.errorMessage ?? ''), SHOWN_REASON);
  return `${count} spans were rejected${why === '' ? '' : `: ${why}`}`;
}
