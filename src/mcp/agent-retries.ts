import { firstPages } from '../contract/all-pages.ts';
import type { Engine } from '../contract/engine.ts';
import { AGENT_RETRIES } from '../contract/records/resolution.ts';

const REMEMBERED = 5_000;

/** How often agents may still have a job tried again in a run. The engine holds the limit; this only shows it. */
export async function agentRetriesLeft(
  engine: Engine,
  workflowId: number,
): Promise<(job: number, run: number) => number> {
  const decisions = await firstPages(
    (page) => engine.listDecisions({ ...page, workflow_id: workflowId }),
    REMEMBERED,
  );
  const used = new Map<string, number>();
  for (const { job_id, run_id, action, actor } of decisions) {
    if (action !== 'retry' || !actor.startsWith('agent:')) continue;
    const key = `${job_id}:${run_id}`;
    used.set(key, (used.get(key) ?? 0) + 1);
  }
  return (job, run) => Math.max(0, AGENT_RETRIES - (used.get(`${job}:${run}`) ?? 0));
}
