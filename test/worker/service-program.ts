// A service worker in a process of its own, on the store of a directory: what `holdfast worker` is without a network.
import { openEngine } from '../../src/engine/open-engine.ts';
import type { ServiceWorkerOptions } from '../../src/worker/service-options.ts';
import { ServiceWorker } from '../../src/worker/service-worker.ts';

const [storeDir, options] = process.argv.slice(2) as [string, string];
const given = JSON.parse(options) as Pick<ServiceWorkerOptions, 'stateDir' | 'baseDir' | 'leaseMs'>;
const engine = await openEngine({ dir: storeDir, create: false });
const worker = new ServiceWorker(engine, {
  site: 'local',
  labels: [],
  cpus: 4,
  memoryBytes: 1e9,
  gpus: 0,
  maxParallel: null,
  graceMs: 1000,
  keepWork: 'failed',
  drainTimeoutMs: 60_000,
  log: (line) => process.stdout.write(`${line}\n`),
  ...given,
});
let signals = 0;
process.on('SIGTERM', () => {
  signals += 1;
  if (signals === 1) worker.drain();
  else if (signals === 2) worker.stop();
  else worker.kill();
});
try {
  process.stdout.write(`end: ${await worker.run()}\n`);
} catch (error) {
  process.stdout.write(`error: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
await engine.close();
