import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { LOG_HEADERS } from '../../src/contract/request-headers.ts';
import { ask } from '../api/call.ts';
import { noteError } from '../app/session.ts';

const PIECE = 128 * 1024;
/** So much of a log is in the page at most; the beginning is left out, and can be downloaded. */
const MOST = 4 * 1024 * 1024;
const LOOK_MS = 1_000;

interface Bytes {
  data: Uint8Array;
  /** Where `data` begins in the log. */
  offset: number;
  size: number;
  hasEnded: boolean;
}

export interface LogSource {
  workflow: number;
  job: number;
  stream: 'stdout' | 'stderr';
  runId: number;
  attemptId: number;
}

export function logUrl(
  { workflow, job, stream, runId, attemptId }: LogSource,
  more: Record<string, string | number> = {},
): string {
  const query = new URLSearchParams({ run_id: String(runId), attempt_id: String(attemptId) });
  for (const [name, value] of Object.entries(more)) query.set(name, String(value));
  return `/api/v1/workflows/${workflow}/jobs/${job}/logs/${stream}?${query}`;
}

async function readPiece(
  source: LogSource,
  more: Record<string, string | number>,
  signal: AbortSignal,
): Promise<Bytes> {
  const answer = await ask(logUrl(source, more), { signal });
  const number = (name: string) => Number(answer.headers.get(name) ?? 0);
  return {
    data: new Uint8Array(await answer.arrayBuffer()),
    offset: number(LOG_HEADERS.offset),
    size: number(LOG_HEADERS.size),
    hasEnded: answer.headers.get(LOG_HEADERS.ended) === 'true',
  };
}

/** The end of a log, which grows as long as the attempt runs, and what is before it when it is asked for. */
export function useLog(source: LogSource) {
  const { workflow, job, stream, runId, attemptId } = source;
  const [bytes, setBytes] = useState<Bytes | null>(null);
  const [error, setError] = useState<unknown>(null);
  const newest = useRef<Bytes | null>(null);
  const keep = useCallback((next: Bytes) => {
    newest.current = next;
    setBytes(next);
  }, []);

  useEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    const which = { workflow, job, stream, runId, attemptId };
    newest.current = null;
    setBytes(null);
    setError(null);
    const follow = async () => {
      const known = newest.current;
      try {
        if (known === null)
          keep(await readPiece(which, { offset: -PIECE, limit: PIECE, live: 'true' }, signal));
        else if (known.hasEnded && known.offset + known.data.length >= known.size) return;
        else {
          const piece = await readPiece(
            which,
            { offset: known.offset + known.data.length, limit: PIECE, live: 'true' },
            signal,
          );
          keep(joined(newest.current ?? known, piece));
        }
        setError(null);
      } catch (problem) {
        if (signal.aborted) return;
        noteError(problem);
        setError(problem);
      }
      if (!signal.aborted) timer = setTimeout(() => void follow(), LOOK_MS);
    };
    let timer = setTimeout(() => void follow(), 0);
    return () => {
      clearTimeout(timer);
      leaving.abort();
    };
  }, [workflow, job, stream, runId, attemptId, keep]);

  const loadEarlier = async () => {
    const known = newest.current;
    if (known === null || known.offset === 0) return;
    const from = Math.max(0, known.offset - PIECE);
    try {
      const piece = await readPiece(
        source,
        { offset: from, limit: known.offset - from },
        new AbortController().signal,
      );
      keep(joined(piece, newest.current ?? known));
    } catch (problem) {
      setError(problem);
    }
  };

  const lines = useMemo(() => {
    if (bytes === null) return [];
    const text = new TextDecoder().decode(bytes.data);
    const found = text.split('\n');
    if (found.at(-1) === '') found.pop();
    return found;
  }, [bytes]);
  return { bytes, lines, error, loadEarlier };
}

/** Two pieces as one. A piece that begins later than the other ends replaces it: what is between is not kept. */
function joined(first: Bytes, second: Bytes): Bytes {
  const { size, hasEnded } = second.size >= first.size ? second : first;
  if (second.data.length === 0) return { ...first, size, hasEnded: second.hasEnded || first.hasEnded };
  if (second.offset !== first.offset + first.data.length) return second;
  const data = new Uint8Array(first.data.length + second.data.length);
  data.set(first.data);
  data.set(second.data, first.data.length);
  const cut = Math.max(0, data.length - MOST);
  return { data: data.slice(cut), offset: first.offset + cut, size, hasEnded };
}
