import { restoreCertificates } from './certificates.ts';
import { loadStarter } from './start/load-starter.ts';
import { SuccessiveWorkers } from './successive-workers.ts';

// The launcher process. Without a socket its life hangs on its standard input alone: when the worker ends it, or
// dies, all attempts are killed. With one it waits for another worker as long as the lease lasts. It loads as little
// as it can: where `posix_spawn` cannot be called, its size is what makes starting a process slow.

/** What still lives after this hangs in the kernel. */
const LAST_WAIT_MS = 15_000;

const [markerPrefix = '', socketPath = null] = process.argv.slice(2);

restoreCertificates(process.env);

const workers = new SuccessiveWorkers({
  markerPrefix,
  starter: loadStarter(),
  socketPath,
  leaving: () => setTimeout(() => process.exit(1), LAST_WAIT_MS),
  leave: () => process.exit(0),
});

process.on('uncaughtException', (error) => {
  console.error(new Date().toISOString(), 'launcher', process.pid, error);
  try {
    workers.launcher.killAll();
  } finally {
    process.exit(1);
  }
});

// A signal to everything, such as that of a shutting down system, reaches the worker too; it decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

if (socketPath !== null) workers.listen(socketPath);
workers.serve(process.stdin, process.stdout);
