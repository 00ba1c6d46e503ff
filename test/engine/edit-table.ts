import { rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StaleReason } from '../../src/core/files/stale-reason.ts';

interface Job {
  name: string;
  command?: string;
  [key: string]: unknown;
}

/** An edit of a workflow that has ended, and all that happens because of it. */
export interface EditCase {
  what: string;
  base: object;
  /** Jobs that failed before the edit; what waits for them was canceled. */
  failed: string[];
  edited: object;
  /** An edit of files: as a user makes it, and as the comparison of files reports it. */
  files: { change: (directory: string) => void; stale: [job: string, reason: StaleReason][] } | null;
  /** `action name: reason`, in the order of the alphabet. Everything else keeps its result. */
  plan: string[];
}

/** Files that the workflows read. */
export const GIVEN_FILES = { 'a.fq': 'read 1\nread 2\n', 'b.fq': 'read 3\n', 'c.fq': 'read 4\n' };

/** Two stages for each sample, a job that joins them, and one that has nothing to do with them. */
function pipeline(
  samples: readonly string[],
  change: (job: Job) => Job = (job) => job,
  more: Record<string, unknown> = {},
): object {
  const jobs: Job[] = samples.flatMap((sample) => [
    {
      name: `map_${sample}`,
      command: `cp ${sample}.fq ${sample}.bam`,
      input_files: [`${sample}.fq`],
      output_files: [`${sample}.bam`],
    },
    {
      name: `sort_${sample}`,
      command: `sort ${sample}.bam > ${sample}.sorted`,
      input_files: [`${sample}.bam`],
      output_files: [`${sample}.sorted`],
    },
  ]);
  const sorted = samples.map((sample) => `${sample}.sorted`);
  jobs.push(
    { name: 'call', command: 'cat *.sorted > calls.vcf', input_files: sorted, output_files: ['calls.vcf'] },
    { name: 'plot', command: 'wc -l < calls.vcf', input_files: ['calls.vcf'] },
    { name: 'readme', command: 'true' },
  );
  return { name: 'pipeline', jobs: jobs.map(change), ...more };
}

const fieldsOf =
  (changes: Record<string, Partial<Job>>) =>
  (job: Job): Job => ({ ...job, ...changes[job.name] });

const SAMPLES = ['a', 'b'];
const PIPELINE = pipeline(SAMPLES);
const edit = (changes: Record<string, Partial<Job>>) => pipeline(SAMPLES, fieldsOf(changes));

/** Jobs that share a variable and a shell. */
const shared = (fields: object = {}, changes: Record<string, Partial<Job>> = {}) => ({
  name: 'shared',
  variables: { source: 'a' },
  jobs: [
    { name: 'get', command: 'echo {source}' },
    { name: 'note', command: 'echo noted' },
    { name: 'use', command: 'true', depends_on: ['get', 'note'] },
  ].map(fieldsOf(changes)),
  ...fields,
});

/** Steps with commands that are templates. */
const steps = (target: string, exec = 'echo {{ outputs.list }} {{ variables.target }}') => ({
  name: 'steps',
  version: '2.0',
  variables: { target, other: 'same' },
  order: 'graph',
  steps: {
    list: { exec: 'echo listed' },
    report: { exec, depends_on: ['list'] },
    last: { exec: 'echo {{ variables.other }}', depends_on: ['report'] },
    apart: { exec: 'echo {{ variables.other }}' },
  },
});

const chain = (command: string, more: object = {}) => ({
  name: 'chain',
  jobs: [
    { name: 'first', command: 'true' },
    { name: 'broken', command, depends_on: ['first'], ...more },
    { name: 'last', command: 'true', depends_on: ['broken'] },
    { name: 'apart', command: 'true' },
  ],
});

const specEdit = (
  what: string,
  base: object,
  edited: object,
  plan: string[],
  failed: string[] = [],
): EditCase => ({ what, base, failed, edited, files: null, plan });

const fileEdit = (
  what: string,
  change: (at: (name: string) => string) => void,
  stale: [job: string, reason: StaleReason][],
  plan: string[],
): EditCase => ({
  ...{ what, base: PIPELINE, failed: [], edited: PIPELINE, plan },
  files: { change: (directory) => change((name) => join(directory, name)), stale },
});

const SPEC_EDITS: EditCase[] = [
  specEdit('no edit runs nothing again', PIPELINE, PIPELINE, []),
  specEdit(
    'another command runs the job again with all that is downstream',
    PIPELINE,
    edit({ sort_a: { command: 'sort -r a.bam > a.sorted' } }),
    ['run_again call: upstream', 'run_again plot: upstream', 'run_again sort_a: command_changed'],
  ),
  specEdit('another working directory runs the job again', PIPELINE, edit({ readme: { cwd: '/' } }), [
    'run_again readme: setting_changed',
  ]),
  specEdit(
    'a variable of the environment runs the job again',
    PIPELINE,
    edit({ plot: { env: { MODE: 'fast' } } }),
    ['run_again plot: setting_changed'],
  ),
  specEdit(
    'one input more runs the job again',
    PIPELINE,
    edit({ plot: { input_files: ['calls.vcf', 'c.fq'] } }),
    ['run_again plot: input_added'],
  ),
  specEdit('one input less runs the job again', PIPELINE, edit({ map_a: { input_files: [] } }), [
    'run_again call: upstream',
    'run_again map_a: input_removed',
    'run_again plot: upstream',
    'run_again sort_a: upstream',
  ]),
  specEdit(
    'another output path runs the job again with all that is downstream',
    PIPELINE,
    edit({
      call: { command: 'cat *.sorted > calls.txt', output_files: ['calls.txt'] },
      plot: { command: 'wc -l < calls.txt', input_files: ['calls.txt'] },
    }),
    ['run_again call: output_added', 'run_again plot: input_added'],
  ),
  specEdit(
    'an output that was not declared runs the job again',
    PIPELINE,
    edit({ readme: { output_files: ['a.fq'] }, map_a: { depends_on: ['readme'] } }),
    [
      'run_again call: upstream',
      'run_again map_a: dependency_added',
      'run_again plot: upstream',
      'run_again readme: output_added',
      'run_again sort_a: upstream',
    ],
  ),
  specEdit('a sweep that grew runs what is new, and what joins it', PIPELINE, pipeline(['a', 'b', 'c']), [
    'add map_c: new',
    'add sort_c: new',
    'run_again call: input_added',
    'run_again plot: upstream',
  ]),
  specEdit('a sweep that shrank runs what joined it', PIPELINE, pipeline(['a']), [
    'remove map_b: removed',
    'remove sort_b: removed',
    'run_again call: input_removed',
    'run_again plot: upstream',
  ]),
  specEdit('a renamed job runs under its new name', PIPELINE, edit({ plot: { name: 'draw' } }), [
    'add draw: new',
    'remove plot: removed',
  ]),
  specEdit('a renamed sweep runs under its new names, with what joins it', PIPELINE, pipeline(['a', 'c']), [
    'add map_c: new',
    'add sort_c: new',
    'remove map_b: removed',
    'remove sort_b: removed',
    'run_again call: input_added',
    'run_again plot: upstream',
  ]),
  specEdit('one dependency more runs the job again', PIPELINE, edit({ plot: { depends_on: ['readme'] } }), [
    'run_again plot: dependency_added',
  ]),
  specEdit('one dependency less runs the job again', shared(), shared({}, { use: { depends_on: ['get'] } }), [
    'run_again use: dependency_removed',
  ]),
  specEdit('no dependency any more runs the job again', shared(), shared({}, { use: { depends_on: [] } }), [
    'run_again use: dependency_removed',
  ]),
  specEdit(
    'only policy runs nothing again',
    PIPELINE,
    pipeline(SAMPLES, (job) => ({ ...job, retry: { max_retries_failure: 4 }, priority: 7, timeout: '1h' })),
    ['call', 'map_a', 'map_b', 'plot', 'readme', 'sort_a', 'sort_b'].map(
      (name) => `policy ${name}: policy_changed`,
    ),
  ),
  specEdit(
    'other limits and another description run nothing again',
    PIPELINE,
    pipeline(SAMPLES, undefined, { description: 'for the paper', limits: { licence: 2 } }),
    [],
  ),
  specEdit(
    'the same jobs in another order run nothing again',
    PIPELINE,
    { ...PIPELINE, jobs: [...(PIPELINE as { jobs: Job[] }).jobs].reverse() },
    [],
  ),
  specEdit(
    'another variable runs the jobs again whose text it changes',
    shared(),
    shared({ variables: { source: 'b' } }),
    ['run_again get: command_changed', 'run_again use: upstream'],
  ),
  specEdit(
    'a variable that no job has in its text runs nothing again',
    shared(),
    shared({ variables: { source: 'a', unused: 'b' } }),
    [],
  ),
  specEdit(
    'another variable runs the steps again that read it when they start',
    steps('staging'),
    steps('production'),
    ['run_again last: upstream', 'run_again report: variable_changed'],
  ),
  specEdit(
    'another template runs the step again',
    steps('staging'),
    steps('staging', 'echo {{ outputs.list | upcase }} {{ variables.target }}'),
    ['run_again last: upstream', 'run_again report: command_changed'],
  ),
  specEdit(
    'another shell of the workflow runs all jobs again that have no shell of their own',
    shared({}, { note: { shell: 'bash' } }),
    shared({ shell: 'strict' }, { note: { shell: 'bash' } }),
    ['run_again get: setting_changed', 'run_again use: setting_changed'],
  ),
  specEdit('another shell of a job runs it again', shared(), shared({}, { note: { shell: ['sh', '-c'] } }), [
    'run_again note: setting_changed',
    'run_again use: upstream',
  ]),
  specEdit(
    'the shell that is the default, written out, runs nothing again',
    shared(),
    shared({ shell: 'bash' }, { note: { shell: 'bash' } }),
    [],
  ),
  specEdit(
    'the command of a failed job runs it again with what was canceled',
    chain('false'),
    chain('true'),
    ['run_again broken: command_changed', 'run_again last: upstream'],
    ['broken'],
  ),
  specEdit(
    'only the policy of a failed job runs it again with what was canceled',
    chain('test -e retried || ! touch retried'),
    chain('test -e retried || ! touch retried', { priority: 3 }),
    ['run_again broken: unsuccessful', 'run_again last: upstream'],
    ['broken'],
  ),
];

/** The spec stays as it is, and files change. */
export const FILE_EDITS: readonly EditCase[] = [
  fileEdit(
    'another content of an input runs its readers again with all that is downstream',
    (at) => writeFileSync(at('a.fq'), 'read 5\nread 6\n'),
    [['map_a', { kind: 'input_changed', path: 'a.fq' }]],
    [
      'run_again call: upstream',
      'run_again map_a: input_changed',
      'run_again plot: upstream',
      'run_again sort_a: upstream',
    ],
  ),
  fileEdit('a file that was only touched runs nothing again', (at) => utimesSync(at('a.fq'), 1, 1), [], []),
  fileEdit(
    'a file that was written again as it was runs nothing again',
    (at) => writeFileSync(at('b.bam'), GIVEN_FILES['b.fq']),
    [],
    [],
  ),
  fileEdit(
    'an output that was deleted runs its job again with all that is downstream',
    (at) => rmSync(at('a.bam')),
    [['map_a', { kind: 'output_missing', path: 'a.bam' }]],
    [
      'run_again call: upstream',
      'run_again map_a: output_missing',
      'run_again plot: upstream',
      'run_again sort_a: upstream',
    ],
  ),
  fileEdit(
    'an output that was edited runs its job again with all that is downstream',
    (at) => writeFileSync(at('calls.vcf'), 'none\n'),
    [
      ['call', { kind: 'output_changed', path: 'calls.vcf' }],
      ['plot', { kind: 'input_changed', path: 'calls.vcf' }],
    ],
    ['run_again call: output_changed', 'run_again plot: input_changed'],
  ),
];

/** Every kind of edit, and what has to run again because of it: one table, whoever applies the edit. */
export const EDIT_TABLE: readonly EditCase[] = [...SPEC_EDITS, ...FILE_EDITS];

/** What runs because of the edit, in the order of the alphabet. */
export function ranAfter({ plan }: EditCase): string[] {
  return plan
    .filter((line) => /^(add|run_again) /.test(line))
    .map((line) => line.replace(/^\w+ (.*):.*/, '$1'))
    .sort();
}
