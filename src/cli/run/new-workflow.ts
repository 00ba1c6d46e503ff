import { resolve } from 'node:path';
import type { NewWorkflow } from '../../contract/engine.ts';
import type { WorkflowExecutor } from '../../core/allocation/executor.ts';
import { HoldfastError } from '../../core/errors.ts';
import { overrideRouting } from '../../core/policy/routing-overrides.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import { notifyProblems } from '../../spec/notify/notify-policy.ts';
import { formatProblem } from '../../spec/problem.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { ownPolicy } from '../notify/notify-policy.ts';
import { routingOverrides } from '../options/routing-flags.ts';
import { userName } from '../options/user-name.ts';
import type { SpecText } from '../read-spec.ts';

/** The one line about all sections of Slurm, where jobs run without it. */
const UNUSED_SCHEDULERS =
  'note: slurm_schedulers are not used here; `--executor slurm` or `submit` uses them';

/**
 * A spec as a workflow that can be created. It is checked here, so that mistakes are shown with their places, and again
 * by a server. For the workers of a server, places are relative: seen from where each of them was started.
 */
export async function storeNewWorkflow(
  context: CommandContext,
  spec: SpecText,
  options: Invocation['options'],
  wanted: WorkflowExecutor | null,
): Promise<NewWorkflow> {
  const overrides = routingOverrides(options);
  const { loadSpecText, refuseProblems, valid } = await import('../read-spec.ts');
  const { model, warnings, notes, source } = valid(loadSpecText(spec, context.origins));
  if (context.server === null) {
    refuseProblems(notifyProblems(spec, model.notify ?? [], ownPolicy(context.settings)));
  }
  for (const warning of warnings) context.narrate(`warning: ${formatProblem(warning)}`);
  for (const note of notes) context.narrate(`note: ${formatProblem(note)}`);
  if (context.server === null && options.executor !== 'slurm' && model.schedulers !== undefined)
    context.narrate(UNUSED_SCHEDULERS);
  const cwd = typeof options.cwd === 'string' ? options.cwd : '.';
  const { output_dir: outputDir } = context.settings;
  const isHere = context.server === null;
  if (wanted === 'slurm' && model.schedulers === undefined) throw withoutSchedulers(spec.name);
  const routed = overrideRouting(model, overrides);
  if (wanted === 'htcondor') {
    const { dagProblems } = await import('../../spec/dag/dag-problems.ts');
    refuseProblems(dagProblems(spec, routed));
  }
  return {
    model: routed,
    source: { ...source, overrides },
    cwd: isHere ? resolve(cwd) : cwd,
    output_dir: isHere ? resolve(outputDir) : outputDir,
    actor: userName(),
    ...((!isHere || wanted === 'slurm') && { shared: true }),
    ...(wanted !== null && { executor: wanted }),
  };
}

function withoutSchedulers(name: string): HoldfastError {
  const generate = `holdfast slurm generate ${shellWord(name)} --account ACCOUNT`;
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: '--executor',
    problem: `slurm needs \`slurm_schedulers\` in the spec; \`${generate}\` proposes them`,
  });
}
