import { resolve } from 'node:path';
import type { NewWorkflow } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { overrideRouting } from '../../core/routing-overrides.ts';
import { formatProblem } from '../../spec/problem.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { userName } from '../user-name.ts';
import { routingOverrides } from './routing-flags.ts';

/**
 * A spec as a workflow that can be created. It is checked here, so that mistakes are told with their places, and again
 * by a server. For the workers of a server, places are relative: seen from where each of them was started.
 */
export async function newWorkflow(
  context: CommandContext,
  path: string,
  options: Invocation['options'],
): Promise<NewWorkflow> {
  const overrides = routingOverrides(options);
  const { readSpec } = await import('../read-spec.ts');
  const { model, warnings, unsupported, source } = readSpec(path, context.origins);
  for (const warning of warnings) context.narrate(`warning: ${formatProblem(warning)}`);
  if (unsupported.length > 0) {
    const places = unsupported.map(
      (each) => `${each.feature} (${path}:${each.line}:${each.column}: ${each.path})`,
    );
    throw new HoldfastError('NOT_SUPPORTED_YET', { features: places.join(', ') });
  }
  const cwd = typeof options.cwd === 'string' ? options.cwd : '.';
  const { output_dir: outputDir } = context.settings;
  const isHere = context.server === null;
  return {
    model: overrideRouting(model, overrides),
    source: { ...source, overrides },
    cwd: isHere ? resolve(cwd) : cwd,
    output_dir: isHere ? resolve(outputDir) : outputDir,
    actor: userName(),
    ...(!isHere && { shared: true }),
  };
}
