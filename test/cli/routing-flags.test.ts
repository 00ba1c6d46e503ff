import { describe, expect, test } from 'vitest';
import { readRoutingContext } from '../../src/cli/options/read-routing-context.ts';
import { refuseRoutingFlags, routingFlags } from '../../src/cli/options/routing-flags.ts';
import { HoldfastError } from '../../src/core/errors.ts';
import { loadSpec } from '../../src/spec/load-spec.ts';
import { makeProject } from './run-cli.ts';

const SPEC = `
routing: { max_loops: 7 }
steps:
  a: { exec: "true" }
  b: { exec: "true", depends_on: [a], on_fail: { retry: { max: 5 }, goto: a }, on_success: { goto_js: "null" } }
`;

function changed(options: Parameters<typeof routingFlags>[0]) {
  const loaded = loadSpec(SPEC, 'x.yaml');
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const { routing, jobs } = routingFlags(options)(loaded.model);
  const { on_fail: onFail, on_success: onSuccess } = jobs[1]!.config;
  return {
    maxLoops: routing.maxLoops,
    context: routing.context,
    max: onFail?.reattempt.max,
    onFail,
    onSuccess,
  };
}

describe('the flags of run about routes', () => {
  test('change nothing unless they are given', () => {
    expect(changed({})).toMatchObject({ maxLoops: 7, max: 5, context: { pr: null, files: null } });
  });

  test('set max_loops, cap re-attempts, and turn routing off', () => {
    expect(changed({ onFailMaxLoops: '0', retryMax: '2' })).toMatchObject({ maxLoops: 0, max: 2 });
    expect(changed({ failureRouting: false })).toMatchObject({ onFail: null, onSuccess: null });
  });

  test('read what code sees as pr and files', () => {
    const cwd = makeProject({ 'context.json': { pr: { number: 7 } } });
    expect(changed({ context: `${cwd}/context.json` }).context).toEqual({ pr: { number: 7 }, files: null });
  });

  test.each([
    [{ onFailMaxLoops: 'many' }, '--on-fail-max-loops: must be a whole number of at least 0, not many'],
    [{ retryMax: '-1' }, '--retry-max: must be a whole number of at least 0, not -1'],
    [{ failureRouting: false, retryMax: '1' }, '--retry-max: not with --no-failure-routing'],
    [{ failureRouting: false, onFailMaxLoops: '1' }, '--on-fail-max-loops: not with --no-failure-routing'],
  ])('are refused where they make no sense: %o', (options, message) => {
    expect(() => routingFlags(options)).toThrow(message);
  });

  test.each([
    [{ onFailMaxLoops: '1' }, '--on-fail-max-loops: applies to a spec only; workflow 3 keeps'],
    [{ retryMax: '1' }, '--retry-max: applies to a spec only'],
    [{ context: 'x' }, '--context: applies to a spec only'],
    [{ failureRouting: false }, '--no-failure-routing: applies to a spec only'],
  ])('are refused for a workflow that is stored: %o', (options, message) => {
    expect(() => refuseRoutingFlags(options, 3)).toThrow(message);
  });

  test('need not be refused where none is given', () => {
    expect(() => refuseRoutingFlags({ failureRouting: true, debug: true }, 3)).not.toThrow();
  });
});

test.each([
  ['missing.json', 'there is no such file'],
  ['broken.json', 'is not valid JSON'],
  ['list.json', 'must be a JSON object with pr and files'],
  ['typo.json', 'unknown key file; did you mean "files"?'],
  ['other.json', 'unknown key branch; it has pr and files'],
])('the context file %s is refused with what is wrong', (file, problem) => {
  const cwd = makeProject({
    'broken.json': '{',
    'list.json': '[]',
    'typo.json': { file: [] },
    'other.json': { branch: 1 },
  });
  const path = `${cwd}/${file}`;
  expect(() => readRoutingContext(path)).toThrow(HoldfastError);
  expect(() => readRoutingContext(path)).toThrow(`--context ${path}: ${problem}`);
});
