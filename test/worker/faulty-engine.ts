import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../../src/contract/engine.ts';
import { HoldfastError } from '../../src/core/errors.ts';

/** What happens to one request on its way: nothing, or one of the ways of a network. */
export type Fault = 'none' | 'request lost' | 'answer lost' | 'doubled' | 'delayed';

/** Sends the requests of a worker through a network that treats each as the test says. */
export function faultyEngine(engine: Engine, next: (method: string) => Fault): Engine {
  const faulty = new Set(['registerWorker', 'resumeWorker', 'exchange', 'putLogs', 'retireWorker', 'status']);
  return new Proxy(engine, {
    get(target, name) {
      const method = Reflect.get(target, name, target) as unknown;
      if (typeof method !== 'function') return method;
      const bound = method.bind(target) as (...args: unknown[]) => Promise<unknown>;
      if (!faulty.has(String(name))) return bound;
      return (...args: unknown[]) => transmit(() => bound(...args), next(String(name)));
    },
  });
}

async function transmit(send: () => Promise<unknown>, fault: Fault): Promise<unknown> {
  if (fault === 'request lost') throw unreachable();
  if (fault === 'delayed') await sleep(30);
  const answers = [send()];
  if (fault === 'doubled') answers.push(send());
  const [answer] = await Promise.allSettled(answers);
  if (fault === 'answer lost') throw unreachable();
  if (answer!.status === 'rejected') throw answer!.reason;
  return answer!.value;
}

export function unreachable(): HoldfastError {
  return new HoldfastError('SERVER_UNREACHABLE', { url: 'http://test', problem: 'the network is down' });
}
