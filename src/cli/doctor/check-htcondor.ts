import { HTCondorPool } from '../../clusters/htcondor/pool.ts';
import { hasDagman } from '../htcondor/need-dagman.ts';
import type { Check } from '../texts/lists/checks.ts';
import { askCheck, okCheck } from './ask-check.ts';

const LIMIT_MS = 20_000;
const HINT = 'runs on DAGMan wait until it answers; `condor_q` and `condor_status -schedd` show more';

/** HTCondor, where its commands are here. A machine without it is fine. */
export async function checkHTCondor(): Promise<Check[]> {
  if (!hasDagman()) return [okCheck('htcondor', 'not found: no condor_submit_dag on PATH')];
  const pool = new HTCondorPool({ limitMs: LIMIT_MS });
  return [
    await askCheck('htcondor', HINT, () => pool.version()),
    await askCheck('htcondor schedd', HINT, async () => {
      await pool.ping();
      return 'answers';
    }),
  ];
}
