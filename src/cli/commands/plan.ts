import type { Command } from '../command-context.ts';
import { planOfModel } from '../graph/plan.ts';
import { readSpec } from '../read-spec.ts';

export const planCommand: Command = async (context, { args, options }) => {
  const { model } = readSpec(args[0]!, context.origins);
  context.print(context.render.plan(planOfModel(model), options.all === true));
  return 0;
};
