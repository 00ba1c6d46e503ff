import { parentPort, workerData } from 'node:worker_threads';
import { ownThreadId, readCpuMs } from './cpu-time.ts';
import { Machine, type MachineAnswer, type Task } from './machine.ts';
import { Pulse } from './pulse.ts';
import { compileQuickJs } from './quick-js.ts';

// The thread in which code is evaluated, one piece at a time. It can be terminated at any moment.

export type { Task };

export interface ThreadData {
  pulse: SharedArrayBuffer;
  /** QuickJS as another thread of the process compiled it; null: this is the first one. */
  compiled: object | null;
}

export type ThreadMessage =
  | { kind: 'ready'; threadId: number | null; compiled: object }
  | { kind: 'answer'; answer: MachineAnswer; ms: number };

const port = parentPort!;
const threadId = ownThreadId();
const data = workerData as ThreadData;
const pulse = new Pulse(data.pulse);
const say = (message: ThreadMessage) => port.postMessage(message);
const compiled = data.compiled === null ? compileQuickJs() : Promise.resolve(data.compiled);
const newMachine = async () => Machine.create(await compiled, () => pulse.beat());

pulse.rest();
let machine = newMachine();

port.on('message', async (task: Task) => {
  const current = await machine;
  const start = performance.now();
  const answer = current.run(task, () => pulse.begin(readCpuMs(threadId)));
  pulse.rest();
  say({ kind: 'answer', answer, ms: performance.now() - start });
  if (!current.reset()) machine = newMachine();
});
void machine.then(async () => say({ kind: 'ready', threadId, compiled: await compiled }));
