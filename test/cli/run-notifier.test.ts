import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { CommandContext } from '../../src/cli/command-context.ts';
import { notifyOf } from '../../src/cli/notify/run-notifier.ts';
import type { ServedEngine } from '../../src/contract/engine.ts';

test('a wait for receivers ends after a few seconds, though garbage is collected meanwhile', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const unsent = { id: 1, event: 'finished', target: 'webhook x', tries: 1, problem: null };
  const engine = {
    subscribe: async () => {},
    onChange: () => () => {},
    sendNotifications: async () => {},
    finishNotifications: async (_: unknown, signal: AbortSignal) => {
      while (!signal.aborted) {
        await sleep(100);
        collectGarbage();
      }
      return [unsent];
    },
  } as unknown as ServedEngine;
  const narrated: string[] = [];
  const context = {
    origins: [],
    narrate: (line: string) => narrated.push(line),
    command: (...words: unknown[]) => ['holdfast', ...words].join(' '),
  } as unknown as CommandContext;
  const notifier = await notifyOf(context, engine, { workflow_id: 7 });
  await notifier.finish();
  expect(narrated).toEqual([
    'not notified of finished: webhook x: no answer yet',
    'holdfast run 7 tries again',
  ]);
}, 20_000);
