const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Calls back with 1 for the first signal that asks to end, 2 for the second, and so on. Returns the way to stop. */
export function onInterrupt(callback: (count: number, signal: NodeJS.Signals) => void): () => void {
  let count = 0;
  const listener = (signal: NodeJS.Signals) => {
    count += 1;
    callback(count, signal);
  };
  for (const signal of SIGNALS) process.on(signal, listener);
  return () => {
    for (const signal of SIGNALS) process.off(signal, listener);
  };
}
