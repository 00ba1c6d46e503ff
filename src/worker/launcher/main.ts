import { Launcher } from './launcher.ts';
import { LineWriter, readLines } from './line-stream.ts';
import type { Notice, Order } from './protocol.ts';

// The launcher process. Its life hangs on its standard input alone: when the worker ends it, or dies, all
// attempts are killed. It loads as little as it can: its size is what makes starting a process slow.

/** A start is told together with the end of a short attempt. */
const START_WAIT_MS = 10;
/** What still lives after this hangs in the kernel. */
const LAST_WAIT_MS = 15_000;

const [markerPrefix = ''] = process.argv.slice(2);
const notices = new LineWriter(process.stdout);
const launcher = new Launcher(markerPrefix, (notice: Notice) => {
  notices.write(notice, notice.kind === 'started' ? START_WAIT_MS : 0);
});
let ending = false;

async function end(): Promise<void> {
  if (ending) return;
  ending = true;
  setTimeout(() => process.exit(1), LAST_WAIT_MS);
  await launcher.stop();
  notices.flush(() => process.exit(0));
}

process.on('uncaughtException', (error) => {
  console.error(new Date().toISOString(), 'launcher', process.pid, error);
  try {
    launcher.killAll();
  } finally {
    process.exit(1);
  }
});

// A signal to everything, such as that of a shutting down system, reaches the worker too; it decides.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

readLines(process.stdin, (line) => launcher.accept(line as Order));
process.stdin.on('end', end);
process.stdin.on('error', end);
process.stdin.on('close', end);
notices.write({ kind: 'ready' } satisfies Notice);
