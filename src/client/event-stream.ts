import { endpoints } from '../contract/endpoints.ts';
import type { EventRecord } from '../contract/records/records.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobRef } from '../core/job/job-ref.ts';
import type { HttpConnection } from './transport/http-connection.ts';
import { pause } from './transport/pause.ts';
import { strangeAnswer } from './transport/refusal.ts';
import { readServerSentEvents } from './transport/server-sent-events.ts';

const RECONNECT_MS = 500;

export interface EventStreamOptions {
  /** Only events after this one (default: all). */
  after?: number;
  job?: JobRef;
  signal?: AbortSignal;
}

/**
 * The audit trail of a workflow as it is written, each event once and in order, over lost connections and restarts of
 * the server. It does not end by itself.
 */
export async function* eventStream(
  connection: HttpConnection,
  workflowId: number,
  { after = 0, job, signal }: EventStreamOptions,
): AsyncGenerator<EventRecord, void> {
  const stream = signal === undefined ? connection : connection.until(signal);
  let last = after;
  while (!stream.isClosed) {
    try {
      const response = await stream.ask(
        endpoints.streamEvents,
        {
          params: { workflow_id: workflowId },
          query: { after: last, ...(job !== undefined && { job }) },
        },
        needEventStream,
      );
      for await (const { data } of readServerSentEvents(response, stream.signals)) {
        const event = JSON.parse(data) as EventRecord;
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (stream.isClosed) return;
      // What the server refuses it would refuse again; a connection that broke is made anew.
      if (error instanceof HoldfastError) throw error;
    }
    await pause(RECONNECT_MS, stream.signals);
  }
}

/** A page that says that something went wrong would be a stream without events, again and again. */
async function needEventStream(response: Response): Promise<Response> {
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  await response.body?.cancel();
  throw strangeAnswer(response.status);
}
