import type { Engine } from '../../contract/engine.ts';
import { continueHint } from '../../views/hints.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { cancellationView } from '../texts/cancellation-text.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { recoveryView } from '../texts/recovery-text.ts';
import { retryView } from '../texts/retry-text.ts';
import type { JobPlan, TopPlan } from './plans.ts';
import { carryOutRequest } from './request-actions.ts';

/** Carries a plan out. Returns what was done, and what has to be done for it to continue. */
export async function carryOut(engine: Engine, plan: TopPlan, style: TextStyle): Promise<string> {
  if (plan.kind === 'request') return carryOutRequest(engine, plan, style);
  const done = await apply(engine, plan, style);
  const status = await engine.status(plan.workflow);
  if (status.actions_due > 0 && status.workers.length === 0 && !status.workflow.shared)
    return `${done}; its actions have not run yet: ${hintCommand({ kind: 'run', workflow: plan.workflow }, style)}`;
  const next = continueHint(status);
  return next === null || next.kind === 'resolve' ? done : `${done}; next: ${hintCommand(next, style)}`;
}

async function apply(engine: Engine, plan: JobPlan, style: TextStyle): Promise<string> {
  const { workflow } = plan;
  switch (plan.kind) {
    case 'retry': {
      const result = await engine.retryJobs(workflow, plan.request);
      return retryView.table({ workflow_id: workflow, ...result, next: null }, style)[0]!;
    }
    case 'resolve': {
      const { jobs } = await engine.resolve(workflow, plan.request);
      const count = jobs.filter(({ result }) => result === 'resolved').length;
      return `workflow ${workflow}: decided about ${jobsCounted(count)}`;
    }
    case 'cancel': {
      const result = await engine.cancel(workflow, plan.request);
      return cancellationView.table({ workflow_id: workflow, dry_run: false, ...result }, style)[0]!;
    }
    case 'recover': {
      const result = await engine.recover(workflow, plan.request);
      const shown = { workflowId: workflow, result, agent: null, wouldAsk: 0, next: null };
      return recoveryView.table(shown, style)[0]!;
    }
  }
}
