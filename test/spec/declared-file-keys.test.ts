import { describe, expect, test } from 'vitest';
import { loadSpec } from '../../src/spec/load-spec.ts';

const configOf = (workflow: string, job: string) => {
  const result = loadSpec(
    `name: n\n${workflow}\njobs:\n  - {name: a, command: x, output_files: [out.txt]${job}}\n`,
    'n.yaml',
  );
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  const { fingerprint, failed_outputs } = result.model.jobs[0]!.config;
  return { ...fingerprint, failed_outputs };
};

const errorsOf = (text: string) => {
  const result = loadSpec(text, 'n.yaml');
  return result.ok ? [] : result.problems.map(({ message }) => message);
};

describe('what a spec says of declared files', () => {
  test('is by content up to 256 MiB, and leaves outputs of failed attempts alone, unless it says otherwise', () => {
    const unsaid = { by: 'content', max_bytes: 268_435_456, failed_outputs: 'in_place' };
    expect(configOf('', '')).toEqual(unsaid);
    expect(configOf('keep_failed_outputs: true', '')).toEqual(unsaid);
    expect(configOf('fingerprint: metadata', '')).toEqual({ ...unsaid, by: 'metadata' });
    expect(configOf('fingerprint_max_size: 1g', '')).toEqual({ ...unsaid, max_bytes: 2 ** 30 });
    expect(configOf('keep_failed_outputs: false', '')).toEqual({ ...unsaid, failed_outputs: 'removed' });
    expect(configOf('keep_failed_outputs: aside', '')).toEqual({ ...unsaid, failed_outputs: 'aside' });
  });

  test('of a job takes precedence over what its workflow says', () => {
    const workflow = 'fingerprint: off\nkeep_failed_outputs: false\nfingerprint_max_size: 1k';
    const job = ', fingerprint: metadata, keep_failed_outputs: aside, fingerprint_max_size: 2k';
    expect(configOf(workflow, job)).toEqual({ by: 'metadata', max_bytes: 2048, failed_outputs: 'aside' });
  });

  test.each([
    ['fingerprint: md5', 'expected content, metadata or off'],
    ['keep_failed_outputs: maybe', 'expected true, false or aside'],
    ['fingerprint_max_size: much', '"much" is not a size'],
  ])('is refused where it means nothing: %s', (line, message) => {
    expect(errorsOf(`name: n\n${line}\njobs: [{name: a, command: x}]\n`).join()).toContain(message);
  });

  test('is refused where a failure may be accepted after its outputs are gone', () => {
    const head =
      'name: n\nkeep_failed_outputs: false\nfailure_handlers: [{name: h, rules: [{exit_codes: [3], verdict: accept}]}]\n';
    const job = (more: string) => `${head}jobs: [{name: a, command: x, output_files: [out.txt], ${more}}]\n`;
    expect(errorsOf(job('post: {command: y}'))).toEqual([
      expect.stringMatching(/^a post script may accept an attempt/),
    ]);
    expect(errorsOf(job('failure_handler: h'))).toEqual([
      expect.stringMatching(/^the failure handler h may accept/),
    ]);
    expect(errorsOf(job('failure_handler: h, keep_failed_outputs: true'))).toEqual([]);
  });
});
