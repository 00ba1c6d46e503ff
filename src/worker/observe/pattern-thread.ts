import { parentPort } from 'node:worker_threads';
import { ownThreadId } from '../../sandbox/cpu-time.ts';
import { foundPatterns } from '../../spec/pattern.ts';

// The thread in which patterns are matched, one text at a time. It can be terminated at any moment.

export interface PatternTask {
  patterns: string[];
  text: string;
}

export type PatternMessage =
  | { kind: 'ready'; threadId: number | null }
  /** One for each pattern, in their order. */
  | { kind: 'matched'; found: boolean };

const port = parentPort!;
const say = (message: PatternMessage) => port.postMessage(message);

port.on('message', ({ patterns, text }: PatternTask) => {
  for (const pattern of patterns) say({ kind: 'matched', found: foundPatterns([pattern], text).length > 0 });
});
// Loaded before anything is measured.
foundPatterns(['a'], 'a');
say({ kind: 'ready', threadId: ownThreadId() });
