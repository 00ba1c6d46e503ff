/** Waits at least 100 ms, unless the signal has been or is given. */
export async function pauseUnless(signal: AbortSignal, ms: number): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, Math.max(ms, 100));
    signal.addEventListener('abort', end, { once: true });
  });
}
