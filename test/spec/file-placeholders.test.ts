import { describe, expect, it } from 'vitest';
import { jobNamed, messagesOf, modelOf } from './spec-text.ts';

/** The command of a job with these files, after everything was filled in. */
function commandOf(command: string, more: object = {}): string {
  const job = {
    name: 'a',
    command,
    input_files: ['reference', 'data/reads.fq'],
    output_files: ['out/it.bam'],
    ...more,
  };
  const files = [{ name: 'reference', path: './ref/genome.fa' }];
  return modelOf(JSON.stringify({ files, jobs: [job] }), {}, 'flow.json').jobs[0]!.config.command;
}

const SPACED = { input_files: ["./my data/it's.fq", './b.fq'], output_files: ['./$o.txt'] };

describe('files in a command', () => {
  it.each([
    ['cat {input} > {output}', 'cat ref/genome.fa data/reads.fq > out/it.bam'],
    ['x {input.reference} {input.reads.fq}', 'x ref/genome.fa data/reads.fq'],
    ['x {input.data/reads.fq} {output.it.bam}', 'x data/reads.fq out/it.bam'],
    ['x ${input} { input } {{input}} {output:s}', 'x ${input} { input } {{input}} {output:s}'],
    ["awk '{input}' {input}", "awk '{input}' ref/genome.fa data/reads.fq"],
    ['cat <<E\n{output}\nE', 'cat <<E\nout/it.bam\nE'],
  ])('%j is %j', (command, expected) => {
    expect(commandOf(command)).toBe(expected);
  });

  it.each([
    ['cat {input} > {output}', `cat 'my data/it'\\''s.fq' b.fq > '$o.txt'`],
    ['echo "{input}: {output}"', `echo "my data/it's.fq b.fq: \\$o.txt"`],
    ["echo '{input}'", `echo 'my data/it'\\''s.fq b.fq'`],
    ["echo $'{input}'", `echo $'my data/it\\'s.fq b.fq'`],
    ['echo # {input}', `echo # my data/it's.fq b.fq`],
  ])('is quoted as its place demands: %j', (command, expected) => {
    expect(commandOf(command, SPACED)).toBe(expected);
  });

  it('is refused where a path would become code', () => {
    const spec = (command: string, shell?: unknown) =>
      JSON.stringify({ jobs: [{ name: 'a', command, shell, ...SPACED }] });
    expect(messagesOf(spec('eval "cat {input}"'), 'flow.json')[0]).toContain(
      'jobs[0].command: the path "my data/it\'s.fq" cannot stand there: a placeholder in code for eval',
    );
    expect(messagesOf(spec('cat <<E\n{input}\nE'), 'flow.json')[0]).toContain('in a heredoc is refused');
    expect(messagesOf(spec('open("{input}")', ['python3', '-c']), 'flow.json')[0]).toContain(
      'the path "my data/it\'s.fq" has characters that mean something in a program of [python3, -c]',
    );
    expect(commandOf('print("{output}")', { shell: ['python3', '-c'] })).toBe('print("out/it.bam")');
  });

  it('is of each expansion, and of all of them in a job that gathers', () => {
    const model = modelOf(`
shell: strict
parameters: {s: [a, b]}
files: [{name: "part_{s}", path: "out/{s}.txt", use_parameters: [s]}, {name: log, path: log.txt}]
jobs:
- {name: "make_{s}", use_parameters: [s], input_files: "data/{s}.fq", output_files: "part_{s}", command: "x {input} > {output.part_{s}}"}
- {name: gather, use_parameters: [s], input_files: "part_{s}", output_files: all.txt, command: "cat {input} > {output}", post: "test -s {output}"}
- {name: match, input_files_regexes: "^part_", command: "cat {input}"}
- {name: used, command: "y > \${files.output.log}; ls {output}"}
`);
    const command = (name: string) => jobNamed(model, name).config.command;
    expect(command('make_a')).toBe('x data/a.fq > out/a.txt');
    expect(command('gather')).toBe('cat out/a.txt out/b.txt > all.txt');
    expect(jobNamed(model, 'gather').config.post).toMatchObject({ command: 'test -s all.txt' });
    expect(command('match')).toBe('cat out/a.txt out/b.txt');
    expect(command('used')).toBe('y > log.txt; ls log.txt');
  });

  it('gives way to a parameter or a variable of its name', () => {
    expect(commandOf('x {input} {output}', { parameters: { input: [1] } })).toBe('x 1 out/it.bam');
    const model = modelOf(
      'variables: {output: v}\njobs: [{name: a, command: "x {output} {output.b.c}", output_files: ./b.c}]',
    );
    expect(model.jobs[0]!.config.command).toBe('x v b.c');
    expect(
      modelOf('variables: {inputs: v}\njobs: [{name: a, command: "x {input} {inputs}", input_files: ./b}]')
        .jobs[0]!.config.command,
    ).toBe('x b v');
  });

  it.each([
    [
      'jobs: [{name: a, command: "x {input}"}]',
      'flow.yaml:1:27: jobs[0].command: {input} stands for the `input_files` of the job, and it has none (write { input } for braces that stay)',
    ],
    [
      'files: [{name: reads, path: r.fq}]\njobs: [{name: a, command: "x {input.raeds}", input_files: reads}]',
      'flow.yaml:2:27: jobs[0].command: {input.raeds}: the `input_files` of the job have no "raeds"; did you mean "reads"?',
    ],
    [
      'jobs: [{name: a, command: "x {input.r.fq}", input_files: [a/r.fq, b/r.fq]}]',
      'flow.yaml:1:27: jobs[0].command: {input.r.fq} could be a/r.fq or b/r.fq; give the file a name in `files`',
    ],
    [
      'jobs: [{name: a, command: "x {ouput}", output_files: a.b}]',
      'flow.yaml:1:27: jobs[0].command: {ouput} stands for nothing; did you mean "output"? (write { ouput } for braces that stay)',
    ],
    [
      'jobs: [{name: a, command: x, post: "x {input}"}]',
      'flow.yaml:1:36: jobs[0].post: {input} stands for the `input_files` of the job, and it has none (write { input } for braces that stay)',
    ],
  ])('that does not exist is a mistake: %s', (text, message) => {
    expect(messagesOf(text)).toEqual([message]);
  });

  it.each([
    [
      'command: "x {input}", input_files: [/d/in, ./in]',
      'flow.yaml:1:42: jobs[0].command: "in" is not where this looks for it, because a job with `isolate: true` runs in a fresh directory; give the file an absolute path',
    ],
    [
      'command: "x ${files.input.f}"',
      'flow.yaml:1:42: jobs[0].command: "f.txt" is not where this looks for it, because a job with `isolate: true` runs in a fresh directory; give the file an absolute path',
    ],
    [
      'command: x, output_files: ./out, post: "test -s {output}"',
      'flow.yaml:1:72: jobs[0].post: "out" is not where this looks for it, because the post script of a job with `isolate: true` does not run in its fresh directory; give the file an absolute path',
    ],
  ])('is refused where an isolated job would not find the file: %s', (keys, message) => {
    const files = 'files: [{name: f, path: f.txt}]';
    expect(messagesOf(`jobs: [{name: a, isolate: true, ${keys}}]\n${files}`)).toEqual([message]);
  });

  it('stands for what an isolated job and its post script do find', () => {
    const keys = 'input_files: [/d/in, ./in], output_files: [/d/out, ./out]';
    const text = (command: string, post: string) =>
      `jobs: [{name: a, isolate: true, ${keys}, command: "${command}", post: "${post}"}]`;
    const model = modelOf(text('x {input./d/in} {output}', 'x {input} {output./d/out}'));
    expect(model.jobs[0]!.config).toMatchObject({
      command: 'x /d/in /d/out out',
      post: { command: 'x /d/in in /d/out' },
    });
  });

  it('does not grow without limit', () => {
    const text = `parameters: {i: "1:300"}
files: [{name: "f{i}", path: "${'p'.repeat(700)}{i}", use_parameters: [i]}]
jobs: [{name: "j{i}", use_parameters: [i], input_files_regexes: f, command: "x {input}"}]`;
    expect(messagesOf(text)).toEqual([
      'flow.yaml:1:1: {input} and {output} would add more than 50000000 characters to the commands',
    ]);
  });
});
