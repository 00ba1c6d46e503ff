import { HoldfastError } from '../../core/errors.ts';
import type { Command } from '../command-context.ts';

export const configCommand: Command = async (context, { args }) => {
  if (args[0] !== 'show') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'config',
      problem: `there is no action ${args[0]}; \`holdfast config show\` shows the settings`,
    });
  }
  context.print(context.render.settings(context.origins));
  return 0;
};
