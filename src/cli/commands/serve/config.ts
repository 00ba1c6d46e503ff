import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { shownValue } from '../../config/settings.ts';
import { settingsView } from '../../texts/lists/settings.ts';

export const configCommand: Command = async (context, { args }) => {
  if (args[0] !== 'show') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'config',
      problem: `there is no action ${args[0]}; \`holdfast config show\` shows the settings`,
    });
  }
  const shown = context.origins.map((each) => ({ ...each, value: shownValue(each.key, each.value) }));
  context.show(settingsView, shown);
  return 0;
};
