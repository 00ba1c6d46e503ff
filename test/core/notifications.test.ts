import { describe, expect, test } from 'vitest';
import { isMailAddress, maskedUrl, urlProblem } from '../../src/core/notify/check-target.ts';
import { describeTarget } from '../../src/core/notify/describe-target.ts';
import { edgeOfRunEnd, listensTo } from '../../src/core/notify/edges.ts';
import { composeMessage, type EdgeFacts, unknownPlaceholders } from '../../src/core/notify/message.ts';

const FACTS: EdgeFacts = {
  event: 'held',
  subject: 'request',
  workflow_id: null,
  run_id: null,
  name: 'sim@2',
  state: 'HELD',
  jobs: null,
  failures: [],
  reason: '30% of the units failed',
  at_ms: 0,
};

test('a target that asks for ends hears of good and bad ones, and nothing else', () => {
  const heard = (['failed', 'waiting', 'held', 'recovered', 'finished'] as const).filter((edge) =>
    listensTo(['finished'], edge),
  );
  expect(heard).toEqual(['failed', 'recovered', 'finished']);
  expect(listensTo(['failed'], 'finished')).toBe(false);
});

test('a run that ends well after trouble has recovered', () => {
  expect(edgeOfRunEnd('completed', true)).toBe('recovered');
  expect(edgeOfRunEnd('completed', false)).toBe('finished');
  expect(edgeOfRunEnd('failed', true)).toBe('failed');
  expect(edgeOfRunEnd('canceled', true)).toBe('finished');
});

describe('a message', () => {
  test('says what happened, why, and what to do next', () => {
    expect(composeMessage(FACTS, { title: null, text: null })).toEqual({
      title: 'Request sim@2 is held',
      text: '30% of the units failed\nnext: holdfast requests errors sim@2',
    });
  });

  test('follows a template, and values in it are not templates themselves', () => {
    const message = composeMessage(
      { ...FACTS, reason: '{name} {event}' },
      { title: '{event}: {name}', text: '{reason} {unknown}' },
    );
    expect(message).toEqual({ title: 'held: sim@2', text: '{name} {event} {unknown}' });
    expect(unknownPlaceholders('{event} {evnt} { a } {name}')).toEqual(['evnt']);
  });

  test('has a title of one short line, whatever the names are', () => {
    const { title, text } = composeMessage(
      { ...FACTS, name: `a\nb${'c'.repeat(10_000)}`, reason: 'x'.repeat(100_000) },
      { title: null, text: null },
    );
    expect(title.length).toBeLessThanOrEqual(200);
    expect(title).not.toContain('\n');
    expect(text.length).toBeLessThanOrEqual(4_000);
  });
});

test('addresses of other kinds than webhooks and mail are refused', () => {
  expect(urlProblem('https://example.org/x')).toBeNull();
  expect(urlProblem('ftp://example.org')).toContain('https:// or http://, not ftp://');
  expect(urlProblem('javascript:alert(1)')).toContain('https:// or http://');
  expect(urlProblem('https://user:pass@example.org')).toContain('must not have a user or a password');
  expect(urlProblem('nothing')).toContain('must be an address like');
  expect(['a@b.c', 'a+b@example.org'].every(isMailAddress)).toBe(true);
  expect(
    ['a', 'a@b>\r\nRCPT TO:<c@d', 'a b@c', '<a@b>', 'a@b c', `${'a'.repeat(300)}@b`].some(isMailAddress),
  ).toBe(false);
});

test('secrets of a target are not shown', () => {
  expect(maskedUrl('https://hooks.example.org:8443/services/T0/B0/s3cret?t=1')).toBe(
    'https://hooks.example.org:8443/***',
  );
  expect(maskedUrl('https://example.org')).toBe('https://example.org');
  expect(describeTarget({ kind: 'slack', url: { env: 'SLACK_URL' } })).toBe('slack from $SLACK_URL');
  expect(describeTarget({ kind: 'command', command: 'a\nb' })).toBe('command a…');
});
