/** Reads the event stream of a workflow and counts how often something arrives. */
export interface EventReader {
  /** How often since the last call. */
  take(): number;
  stop(): void;
}

/** Gets all events that there are first. */
export async function openStream(url: string, workflowId: number): Promise<EventReader> {
  const stopping = new AbortController();
  const path = `/api/v1/workflows/${workflowId}/events/stream`;
  const answer = await fetch(`${url}${path}`, { signal: stopping.signal });
  if (!answer.ok || answer.body === null) throw new Error(`${path} answered with ${answer.status}`);
  let count = 0;
  const read = async () => {
    for await (const _ of answer.body!) count += 1;
  };
  // Ends with its server; what did not arrive is missing from the count.
  read().catch(() => {});
  return {
    take: () => {
      const taken = count;
      count = 0;
      return taken;
    },
    stop: () => stopping.abort(),
  };
}
