import { EventEmitter } from 'node:events';
import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { LongAnswers } from '../../src/server/requests/long-answers.ts';

/** A reply whose connection has been closed, or is open. */
function reply(destroyed: boolean): { raw: EventEmitter & { destroyed: boolean } } {
  return { raw: Object.assign(new EventEmitter(), { destroyed }) };
}

const signalFor = (answers: LongAnswers, { raw }: ReturnType<typeof reply>) =>
  answers.signalFor({ raw } as unknown as FastifyReply);

test('an answer whose client has left before it began is over, and nothing is kept of it', () => {
  const answers = new LongAnswers();
  const left = reply(true);
  expect(signalFor(answers, left).aborted).toBe(true);
  expect(left.raw.listenerCount('close')).toBe(0);
});

test('an answer ends when its client leaves, and all of them with the server', () => {
  const answers = new LongAnswers();
  const [one, other] = [reply(false), reply(false)];
  const signals = [signalFor(answers, one), signalFor(answers, other)];
  one.raw.emit('close');
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  answers.endAll();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  expect(signalFor(answers, reply(false)).aborted).toBe(true);
});
