import { parseDuration } from '../../core/quantity.ts';
import type { Command } from '../command-context.ts';
import { readSpec } from '../read-spec.ts';
import { routingFlags } from '../run/routing-flags.ts';
import { invalidOption } from '../simulate/invalid-option.ts';

const DEFAULT_DURATION = '1m';

/** What would happen if executions ended as told: of one job, or of the whole workflow. Nothing is run or stored. */
export const simulateCommand: Command = async (context, { args, options, lists }) => {
  const { context: file } = options;
  const model = routingFlags({ context: file })(readSpec(args[0]!, context.origins).model);
  const durationMs = parseDuration(String(options.duration ?? DEFAULT_DURATION), 1000);
  if (durationMs === undefined)
    invalidOption('--duration', `must be a duration such as 30s, not ${options.duration}`);
  const { outcome: outcomes = [], stepOutput: outputs = [] } = lists;

  if (options.job !== undefined || options.outcomes !== undefined) {
    if (outcomes.length + outputs.length > 0)
      invalidOption('--outcome', 'plays the whole workflow; --job and --outcomes play one job');
    const { simulateJob } = await import('../simulate/simulate-job.ts');
    context.print(context.render.simulation(simulateJob(model, options, durationMs)));
    return 0;
  }
  const { ToldCourse } = await import('../simulate/told-course.ts');
  const { simulateWorkflow } = await import('../simulate/simulate-workflow.ts');
  const course = new ToldCourse(model, { outcomes, outputs }, durationMs);
  context.print(context.render.workflowSimulation(await simulateWorkflow(model, course)));
  return 0;
};
