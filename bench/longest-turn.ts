import { readFileSync } from 'node:fs';

/** The longest turn of the event loop. */
export interface LongestTurn {
  ms: number;
  /** Processor time of the thread, which other work on the machine does not make longer. */
  processorMs: number;
}

/** Returns the longest turn of the event loop until then. Looks once in a millisecond: more often would be work, too. */
export function watchTurns(): () => LongestTurn {
  let [last, lastProcessor] = [performance.now(), threadProcessorMs()];
  const longest: LongestTurn = { ms: 0, processorMs: 0 };
  let timer: NodeJS.Timeout;
  const look = () => {
    const [now, processor] = [performance.now(), threadProcessorMs()];
    longest.ms = Math.max(longest.ms, now - last);
    longest.processorMs = Math.max(longest.processorMs, processor - lastProcessor);
    [last, lastProcessor] = [now, processor];
    timer = setTimeout(look, 1);
  };
  look();
  return () => {
    clearTimeout(timer);
    return longest;
  };
}

/** Of the main thread, on Linux; nanoseconds come first. */
function threadProcessorMs(): number {
  const [ns] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  return Number(ns) / 1e6;
}
