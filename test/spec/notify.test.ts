import { describe, expect, test } from 'vitest';
import { EDGES } from '../../src/core/notify/edges.ts';
import { type NotifyPolicy, notifyProblems } from '../../src/spec/notify/notify-policy.ts';
import { formatProblem } from '../../src/spec/problem.ts';
import { loadRequest } from '../../src/spec/request/load-request.ts';
import { sentFiles } from '../../src/spec/spec-files.ts';
import { range } from '../engine/request-world.ts';
import { messagesOf, modelOf } from './spec-text.ts';

const spec = (...entries: string[]) =>
  `notify:\n${entries.map((entry) => `  - ${entry}\n`).join('')}jobs: [{name: a, command: 'true'}]\n`;

describe('notify in a spec', () => {
  test('names receivers and moments', () => {
    const text = spec(
      '{to: ops, on: failed}',
      "{webhook: {env: HOOK}, title: '{name}', text: '{failures}'}",
      '{slack: https://hooks.example.org/x, on: [held, waiting, held]}',
      '{mail: a@example.org}',
      '{command: ./notice}',
    );
    expect(modelOf(text).notify).toEqual([
      { target: { kind: 'named', name: 'ops' }, on: ['failed'], title: null, text: null },
      {
        target: { kind: 'webhook', url: { env: 'HOOK' } },
        on: [...EDGES],
        title: '{name}',
        text: '{failures}',
      },
      {
        target: { kind: 'slack', url: 'https://hooks.example.org/x' },
        on: ['held', 'waiting'],
        title: null,
        text: null,
      },
      { target: { kind: 'mail', to: ['a@example.org'] }, on: [...EDGES], title: null, text: null },
      { target: { kind: 'command', command: './notice' }, on: [...EDGES], title: null, text: null },
    ]);
    const request = loadRequest(
      `${range()}notify: [{to: ops}]\n`,
      'r.yaml',
      sentFiles({ texts: {}, lists: {} }),
    );
    expect(request).toMatchObject({ ok: true, model: { notify: [{ target: { name: 'ops' } }] } });
  });

  test.each([
    ['{on: failed}', 'notify[0]: has no target; add one of to, webhook, slack, mail, command'],
    ['{to: a, mail: b@c}', 'notify[0].mail: an entry has one target, and this one has to already'],
    ['{webhok: https://x}', 'did you mean "webhook"?'],
    [
      '{to: a, on: fialed}',
      'notify[0].on: expected failed, waiting, held, recovered, finished, or a list of them',
    ],
    ['{webhook: ftp://x}', 'notify[0].webhook: must begin with https:// or http://, not ftp://'],
    ['{webhook: {env: A-B}}', 'A-B is not a name of a variable'],
    ['{webhook: {path: x}}', 'expected a text, or {env: NAME} or {file: PATH}'],
    ['{mail: nobody}', '"nobody" is not an address like ops@example.org'],
    ["{to: a, text: '{evnt}'}", 'there is no placeholder {evnt}; did you mean "event"?'],
  ])('refuses %s', (entry, message) => {
    expect(messagesOf(spec(entry)).join('\n')).toContain(message);
  });
});

describe('a server', () => {
  const server: NotifyPolicy = {
    targets: ['ops'],
    hasMail: true,
    hosts: ['hooks.example.org', 'example.org'],
  };
  const refused = (entry: string, policy = server) => {
    const text = spec(entry);
    return notifyProblems({ text, name: 'flow.yaml' }, modelOf(text).notify!, policy).map(formatProblem);
  };

  test.each(['{to: ops}', '{webhook: https://HOOKS.example.org/x}', '{mail: a@example.org}'])(
    'sends %s for a spec',
    (entry) => {
      expect(refused(entry)).toEqual([]);
    },
  );

  test.each([
    [
      '{to: opps}',
      'flow.yaml:2:5: notify[0]: the configuration of the server has no target "opps" in `notify`; did you mean "ops"?',
    ],
    ['{command: id}', 'a server runs no commands of specs'],
    ['{webhook: {env: HOLDFAST_TOKEN}}', 'a server reads no variables and files for specs'],
    ['{slack: {file: /etc/passwd}}', 'a server reads no variables and files for specs'],
    ['{webhook: http://169.254.169.254/latest}', 'the server sends nothing to 169.254.169.254 for specs'],
    ['{mail: [a@example.org, b@elsewhere.org]}', 'the server sends nothing to elsewhere.org for specs'],
  ])('refuses %s of a spec', (entry, message) => {
    expect(refused(entry).join('\n')).toContain(message);
    if (!entry.startsWith('{to')) expect(refused(entry, { ...server, hosts: null })).toEqual([]);
  });
});
