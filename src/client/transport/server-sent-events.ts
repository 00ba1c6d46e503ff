interface ServerSentEvent {
  id: string;
  event: string;
  data: string;
}

/** What a text/event-stream says, until it ends, breaks, or one of the signals says so. */
export async function* readServerSentEvents(
  response: Response,
  signals: readonly AbortSignal[],
): AsyncGenerator<ServerSentEvent, void> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  const stop = () => void reader.cancel().catch(() => {});
  for (const signal of signals) signal.addEventListener('abort', stop);
  let rest = '';
  let event: ServerSentEvent = { id: '', event: 'message', data: '' };
  try {
    if (signals.some(({ aborted }) => aborted)) return;
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const lines = (rest + value).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === '') {
          if (event.data !== '') yield { ...event, data: event.data.slice(0, -1) };
          event = { id: event.id, event: 'message', data: '' };
        } else {
          take(event, line);
        }
      }
    }
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', stop);
    stop();
  }
}

/** Comments and fields that nobody knows are left out. */
function take(event: ServerSentEvent, line: string): void {
  const [, field, value] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
  if (field === 'data') event.data += `${value ?? ''}\n`;
  else if (field === 'id') event.id = value ?? '';
  else if (field === 'event') event.event = value ?? '';
}
