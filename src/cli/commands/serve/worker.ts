import { HoldfastError } from '../../../core/errors.ts';
import { ServiceWorker } from '../../../worker/service-worker.ts';
import type { Command } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { serviceWorkerOptions, warnOfExposure } from '../../worker/service-worker-options.ts';
import { withPlace } from '../../worker/worker-place.ts';

const INTERRUPTED = 130;

export const workerCommand: Command = async (context, invocation) => {
  if (context.server === null) throw new HoldfastError('NEEDS_SERVER', { command: 'holdfast worker' });
  const { url } = context.server;
  const options = {
    ...withPlace(serviceWorkerOptions(context, invocation), context, invocation),
    server: url,
    apiUrl: url,
  };
  const isInAllocation = options.allocation !== undefined;
  warnOfExposure(context);
  const engine = await context.openEngine();
  const worker = new ServiceWorker(engine, options);
  const stopListening = onInterrupt((count, signal) => {
    // A cluster sends it to the jobs as well, some of them twice, and kills soon after.
    if (isInAllocation && signal === 'SIGTERM') worker.lose();
    else if (count === 1) worker.drain();
    else if (count === 2) worker.stop();
    else worker.kill();
  });
  try {
    const end = await worker.run();
    context.narrate(`the worker has left${end === 'drained' ? '' : '; its jobs run again elsewhere'}`);
    // For a cluster an allocation has failed if its worker has; that one was cut off is not its fault.
    return end === 'drained' || isInAllocation ? 0 : INTERRUPTED;
  } finally {
    stopListening();
  }
};
