import { endpoints } from '../api/endpoints.ts';
import { HoldfastError } from '../core/errors.ts';
import type { JobRef } from '../core/job-ref.ts';
import type { EventRecord } from '../core/records.ts';
import type { HttpConnection } from './http-connection.ts';
import { pause } from './pause.ts';
import { readServerSentEvents } from './server-sent-events.ts';

const RECONNECT_MS = 500;

export interface EventStreamOptions {
  /** Only events after this one; all of them unless told. */
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
  const signals = signal === undefined ? [] : [signal];
  let last = after;
  while (!connection.isClosed && signal?.aborted !== true) {
    try {
      const response = await connection.ask(
        endpoints.streamEvents,
        {
          params: { workflow_id: workflowId },
          query: { after: last, ...(job !== undefined && { job }) },
          ...(signal && { signal }),
        },
        async (answer) => answer,
      );
      for await (const { data } of readServerSentEvents(response, signals)) {
        const event = JSON.parse(data) as EventRecord;
        last = event.id;
        yield event;
      }
    } catch (error) {
      if (signals.some(({ aborted }) => aborted) || connection.isClosed) return;
      // What the server refuses it would refuse again; a connection that broke is made anew.
      if (error instanceof HoldfastError) throw error;
    }
    await pause(RECONNECT_MS, signals);
  }
}
