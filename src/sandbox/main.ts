import { parentPort, workerData } from 'node:worker_threads';
import { ownThreadId, readCpuMs } from './cpu-time.ts';
import { Machine, type MachineAnswer, type Task } from './machine.ts';
import { Pulse } from './pulse.ts';

// The thread in which code is evaluated, one piece at a time. It can be terminated at any moment.

export type { Task };

export type ThreadMessage =
  | { kind: 'ready'; threadId: number | null }
  | { kind: 'answer'; answer: MachineAnswer; ms: number };

const port = parentPort!;
const threadId = ownThreadId();
const pulse = new Pulse(workerData as SharedArrayBuffer);
const say = (message: ThreadMessage) => port.postMessage(message);
const newMachine = () => Machine.create(() => pulse.beat());

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
void machine.then(() => say({ kind: 'ready', threadId }));
