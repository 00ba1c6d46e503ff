import { isBash } from '../../core/job/shell.ts';
import { checkShell } from '../check/check-shell.ts';
import type { SpecPath } from '../problem.ts';
import type { JobSpec } from '../schema/job-schema.ts';
import { expandSweep } from '../sweep/expand-sweep.ts';
import type { Binding } from '../sweep/placeholders.ts';
import { basisFiller } from './draft-basis.ts';
import { outOfSight } from './files/isolated-paths.ts';
import { JobDraft, NO_REFERENCES, type Reference, references } from './job-draft.ts';
import type { SpecContext } from './spec-context.ts';

const NOT_USED = { inputs: [], outputs: [] };

/** Every expansion of every written job, in the order written; equal names are not yet collapsed. */
export function expandJobs(jobs: JobSpec[], context: SpecContext): JobDraft[] {
  const drafts: JobDraft[] = [];
  for (const [index, job] of jobs.entries()) {
    const path = ['jobs', index];
    const bindings = expandSweep(job, path, context.shared, context.findings);
    const expand = expander(job, path, context);
    for (const binding of bindings) drafts.push(expand(binding));
  }
  return drafts;
}

function expander(job: JobSpec, path: SpecPath, context: SpecContext): (binding: Binding) => JobDraft {
  const { text, files, userData } = context;
  const at = (key: string) => [...path, key];
  const paths = { command: at('command'), script: at('invocation_script'), post: at('post') };
  const name = text.filler(job.name, at('name'));
  const command = text.filler(job.command, paths.command);
  const script =
    job.invocation_script === undefined ? null : text.filler(job.invocation_script, paths.script);
  if (job.invocation_script !== undefined) warnOfComment(job.invocation_script, paths.script, context);
  const dependsOn = referenceFiller(references(job.depends_on, at('depends_on')), text);
  const dependsOnRegexes = referenceFiller(
    references(job.depends_on_regexes, at('depends_on_regexes')),
    text,
  );
  const named = (key: 'input_files' | 'output_files' | 'input_user_data' | 'output_user_data') =>
    referenceFiller(references(job[key], at(key)), text);
  const patterns = (...keys: (keyof JobSpec & `${string}_regexes`)[]) =>
    referenceFiller(
      keys.flatMap((key) => references(job[key], at(key))),
      text,
    );
  const inputs = fileFiller(
    named('input_files'),
    patterns('input_files_regexes', 'input_file_regexes'),
    files,
  );
  const outputs = fileFiller(
    named('output_files'),
    patterns('output_files_regexes', 'output_file_regexes'),
    files,
  );
  const inputData = userDataFiller(named('input_user_data'), patterns('input_user_data_regexes'), userData);
  const outputData = userDataFiller(
    named('output_user_data'),
    patterns('output_user_data_regexes'),
    userData,
  );
  const basisOf = basisFiller(job, path, context);

  return (binding) => {
    let inputFiles = inputs(binding);
    let outputFiles = outputs(binding);
    const withFiles = (command: string, at: SpecPath) =>
      files.substitute(command, at, (kind, used) => {
        const hidden = job.isolate && outOfSight(kind, used, at === paths.post ? 'post' : 'command');
        if (hidden) context.findings.expansionError(at, hidden);
        if (kind === 'input') inputFiles = [...inputFiles, { text: used, path: at }];
        else outputFiles = [...outputFiles, { text: used, path: at }];
      });
    const ownCommand = withFiles(command(binding), paths.command);
    const whole = script === null ? ownCommand : `${withFiles(script(binding), paths.script)} ${ownCommand}`;
    const basis = basisOf(binding, (post) => withFiles(post, paths.post));
    const { shell } = basis.settings;
    checkShell({ shell, command: whole, path, key: 'command', hasScript: script !== null }, context.findings);
    const used = isBash(shell) ? userData.used(whole, paths.command) : NOT_USED;
    const own = {
      name: name(binding),
      command: whole,
      dependsOn: dependsOn(binding),
      dependsOnRegexes: dependsOnRegexes(binding),
      inputFiles,
      outputFiles,
      inputUserData: joined(inputData(binding), used.inputs),
      outputUserData: joined(outputData(binding), used.outputs),
    };
    return new JobDraft(own, basis);
  };
}

type Filler<T> = (binding: Binding) => T;

function referenceFiller(
  written: readonly Reference[],
  text: SpecContext['text'],
): Filler<readonly Reference[]> {
  if (written.length === 0) return () => NO_REFERENCES;
  if (written.every((reference) => !reference.text.includes('{'))) return () => written;
  const fillers = written.map((reference) => text.filler(reference.text, reference.path));
  return (binding) => written.map((reference, index) => ({ ...reference, text: fillers[index]!(binding) }));
}

function fileFiller(
  named: Filler<readonly Reference[]>,
  patterns: Filler<readonly Reference[]>,
  files: SpecContext['files'],
): Filler<readonly Reference[]> {
  return (binding) =>
    joined(
      named(binding).flatMap((reference) => {
        const filePath = files.path(reference);
        return filePath === undefined ? [] : [{ ...reference, text: filePath }];
      }),
      patterns(binding).flatMap((pattern) =>
        files.matching(pattern).map((filePath) => ({ ...pattern, text: filePath })),
      ),
    );
}

function userDataFiller(
  named: Filler<readonly Reference[]>,
  patterns: Filler<readonly Reference[]>,
  userData: SpecContext['userData'],
): Filler<readonly Reference[]> {
  return (binding) =>
    joined(
      named(binding).filter((reference) => userData.has(reference)),
      patterns(binding).flatMap((pattern) =>
        userData.matching(pattern).map((name) => ({ ...pattern, text: name })),
      ),
    );
}

/** Both lists; the one that all drafts share where both are empty. */
function joined(a: readonly Reference[], b: readonly Reference[]): readonly Reference[] {
  if (b.length === 0) return a.length === 0 ? NO_REFERENCES : a;
  return [...a, ...b];
}

/** The command is put behind the script: where that ends in a comment, the command is part of it. */
function warnOfComment(script: string, path: SpecPath, { findings }: SpecContext): void {
  if (/(?:^|\n)[^\S\n]*#[^\n]*$/.test(script)) {
    findings.warn(
      path,
      'ends in a comment, and the command behind it becomes part of that; end it with a new line',
    );
  }
}
