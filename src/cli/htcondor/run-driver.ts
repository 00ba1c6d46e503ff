import { randomUUID } from 'node:crypto';
import { CondorRuns } from '../../clusters/htcondor/condor-runs.ts';
import { HTCondorPool } from '../../clusters/htcondor/pool.ts';
import type { RunDriver } from '../../contract/run-engine.ts';
import { processIdentity } from '../../host/process-identity.ts';
import type { CommandContext } from '../command-context.ts';
import { POST_PROGRAM } from './post-program.ts';

/** Has runs run by DAGMan from this process. `only`: those of one request or workflow; null: of all that are shared. */
export function runDriver(
  { settings }: Pick<CommandContext, 'settings'>,
  only: RunDriver['only'],
): RunDriver {
  return {
    engine: new CondorRuns(new HTCondorPool(), {
      siteAttribute: settings.site_attribute,
      hold_timeout_ms: settings.hold_timeout,
      program: [process.execPath, POST_PROGRAM],
      submit_lines: [],
    }),
    server: JSON.stringify({ ...processIdentity(), driver: randomUUID() }),
    only,
  };
}
