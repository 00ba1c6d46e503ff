import type { CommandContext } from '../command-context.ts';
import type { Check } from '../texts/lists/checks.ts';
import { checkHTCondor } from './check-htcondor.ts';
import { checkMachine } from './check-machine.ts';
import { checkServices } from './check-services.ts';
import { checkSlurm } from './check-slurm.ts';

/** All that `doctor` looks at. */
export async function allChecks(context: CommandContext): Promise<Check[]> {
  const { stateDir, settings } = context;
  return [
    ...checkMachine({ stateDir, isHere: context.server === null && settings.database_url === null }),
    ...(await checkServices(context)),
    ...(await checkSlurm(settings.slurm_dir ?? stateDir)),
    ...(await checkHTCondor()),
  ];
}
