import { HoldfastError } from '../../core/errors.ts';
import { ServiceWorker } from '../../worker/service-worker.ts';
import type { Command } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { serviceWorkerOptions } from '../run/service-worker-options.ts';

const INTERRUPTED = 130;

export const workerCommand: Command = async (context, invocation) => {
  if (context.server === null) throw new HoldfastError('NEEDS_SERVER', { command: 'holdfast worker' });
  const { url } = context.server;
  const options = { ...serviceWorkerOptions(context, invocation), server: url, apiUrl: url };
  const engine = await context.openEngine();
  const worker = new ServiceWorker(engine, options);
  const stopListening = onInterrupt((count) => {
    if (count === 1) worker.drain();
    else if (count === 2) worker.stop();
    else worker.kill();
  });
  try {
    return (await worker.run()) === 'drained' ? 0 : INTERRUPTED;
  } finally {
    stopListening();
  }
};
