import type { Command } from '../command-context.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { checkServices } from '../doctor/check-services.ts';

export const doctorCommand: Command = async (context) => {
  const checks = [...(await checkMachine(context.stateDir)), ...(await checkServices(context))];
  context.print(context.render.checks(checks));
  return checks.some(({ result }) => result === 'fail') ? 1 : 0;
};
