import type { Command } from '../../command-context.ts';
import { allChecks } from '../../doctor/all-checks.ts';
import { checksView } from '../../texts/lists/checks.ts';

export const doctorCommand: Command = async (context) => {
  const checks = await allChecks(context);
  context.show(checksView, checks);
  return checks.some(({ result }) => result === 'fail') ? 1 : 0;
};
