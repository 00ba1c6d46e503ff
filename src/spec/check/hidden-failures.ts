import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { type HiddenFailure, hiddenFailure } from '../template/hidden-failure.ts';

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;
/** Without one of these a command is a single one. */
const SEVERAL = /[|;]|\S\s*\n\s*\S/;

interface WrittenCommand {
  path: SpecPath;
  text: string;
}

/**
 * Plain bash, which nobody asked for, ends as its last command does. One warning stands for all commands: the way out is
 * one key. `shell: bash` says that it is meant so.
 */
export function warnOfHiddenFailures(spec: WorkflowSpec, findings: Findings): void {
  if (spec.shell !== undefined) return;
  let first: { path: SpecPath; failure: HiddenFailure } | undefined;
  let count = 0;
  for (const { path, text } of commandsOf(spec)) {
    const failure = SEVERAL.test(text) ? hiddenFailure(text) : undefined;
    if (failure === undefined) continue;
    count++;
    first ??= { path, failure };
  }
  if (first === undefined) return;
  const others = count === 1 ? '' : ` (${count - 1} more ${count === 2 ? 'command' : 'commands'} like this)`;
  findings.warn(
    first.path,
    `${describe(first.failure)}; write \`shell: strict\` at the top of the spec, or \`shell: bash\` to leave it so${others}`,
  );
}

function* commandsOf({ jobs, steps }: WorkflowSpec): Generator<WrittenCommand> {
  for (const [index, { command, invocation_script: script, shell }] of (jobs ?? []).entries()) {
    if (shell !== undefined) continue;
    yield { path: ['jobs', index, 'command'], text: script === undefined ? command : `${script} ${command}` };
  }
  for (const [id, { exec, shell }] of Object.entries(steps ?? {})) {
    if (shell === undefined) yield { path: ['steps', id, 'exec'], text: exec.replace(LIQUID, 'x') };
  }
}

function describe({ program, by }: HiddenFailure): string {
  return by === 'pipe'
    ? `a failure of \`${program}\` in the pipe does not fail the job, because bash looks at the last command of a pipe only`
    : `a failure of \`${program}\` does not fail the job, because bash continues with the next command`;
}
