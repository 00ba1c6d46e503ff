import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import type { endpoints } from '../../contract/endpoints.ts';
import type { Engine } from '../../contract/engine.ts';
import type { EventRecord } from '../../contract/records/records.ts';
import type { ChangeFeed } from '../change-feed.ts';
import type { RecordMask } from '../mask/mask-records.ts';
import { RequestError } from '../requests/request-error.ts';
import type { Call } from './handler.ts';

const HEARTBEAT_MS = 15_000;
/** Many commits in a row are one look. */
const COALESCE_MS = 20;
/** A reader that is slow has two or three of these waiting for it. */
const PAGE = 100;

type StreamCall = Call<typeof endpoints.streamEvents>;

export interface EventSource {
  engine: Engine;
  mask: RecordMask;
  changes: ChangeFeed;
  isStillValid: () => Promise<boolean>;
}

/** Every event once, in order, from the one after the last that arrived. */
export async function streamEvents(source: EventSource, call: StreamCall): Promise<Readable> {
  const { params, query, request, reply } = call;
  const after = lastEventId(request.headers['last-event-id']) ?? query.after ?? 0;
  // A workflow that is not there, and a job, are reported before the stream begins.
  const first = await source.engine.listEvents(params.workflow_id, {
    after,
    limit: PAGE,
    ...(query.job !== undefined && { job: query.job }),
  });
  void reply.header('content-type', 'text/event-stream; charset=utf-8').header('x-accel-buffering', 'no');
  return Readable.from(frames(source, call, after, first.items));
}

async function* frames(
  { engine, mask, changes, isStillValid }: EventSource,
  { params, query, signal }: StreamCall,
  start: number,
  first: EventRecord[],
): AsyncGenerator<string> {
  const job = query.job === undefined ? {} : { job: query.job };
  let after = start;
  let page = first;
  yield 'retry: 1000\n\n';
  while (!signal.aborted) {
    const seen = changes.version;
    while (page.length > 0) {
      const masked = (await mask.record(params.workflow_id, page)) as EventRecord[];
      after = page.at(-1)!.id;
      yield masked.map(frame).join('');
      // Who is far behind stays in here for long.
      if (signal.aborted || !(await isStillValid())) return;
      page = (await engine.listEvents(params.workflow_id, { after, limit: PAGE, ...job })).items;
    }
    await changes.waitFor(seen, HEARTBEAT_MS, signal);
    if (signal.aborted || !(await isStillValid())) return;
    if (changes.version === seen) {
      yield ': still there\n\n';
    } else {
      await pause(COALESCE_MS);
    }
    page = (await engine.listEvents(params.workflow_id, { after, limit: PAGE, ...job })).items;
  }
}

/** JSON has no line breaks of its own, so that one `data` line is enough. */
function frame(event: EventRecord): string {
  return `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}

function lastEventId(header: string | string[] | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (typeof header === 'string' && /^\d{1,15}$/.test(header)) return Number(header);
  throw new RequestError([{ path: 'headers.last-event-id', message: 'must be the number of an event' }]);
}
