import { z } from 'zod';
import type { RecoverRequest, RecoverResult } from '../../contract/records/resolution.ts';
import { ANSWER_BYTES, takeWithin } from '../answer-size.ts';
import { nextStep } from '../hint-text.ts';
import {
  defineTool,
  dryRunArgument,
  leftOutField,
  nextField,
  summaryField,
  workflowIdArgument,
} from '../tool.ts';
import type { TextGuard } from '../untrusted-text.ts';

const change = z.object({ from: z.number(), to: z.number() }).nullable();

export const recoverWorkflowTool = defineTool({
  name: 'recover_workflow',
  title: 'Recover from known causes',
  description:
    'Tries again what ran out of memory or time, with more of it; with retry_unknown other failures too. Jobs that wait for a decision continue in the same run; where the run is complete, a new run begins with the chosen jobs and what was canceled because of them. Completed jobs are not run again. Use it first with dry_run true. Each retry counts as a decision of yours.',
  kind: 'opt_in',
  effects: { destructive: true, idempotent: false },
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    memory_multiplier: z.number().gt(1).max(10).default(1.5),
    runtime_multiplier: z.number().gt(1).max(10).default(1.5),
    retry_unknown: z.boolean().default(false).describe('Failures of unknown cause too.'),
    dry_run: dryRunArgument,
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    dry_run: z.boolean(),
    mode: z
      .enum(['resolve', 'new_run', 'nothing'])
      .describe('resolve: they continue in the same run. new_run: a new run begins.'),
    run_id: z.int(),
    retried: z.array(
      z.object({
        job_id: z.int(),
        name: z.string(),
        why: z.enum(['oom', 'timeout', 'unknown']),
        memory_bytes: change,
        runtime_ms: change,
      }),
    ),
    left: z.array(z.object({ job_id: z.int(), name: z.string(), status: z.string(), why: z.string() })),
    left_out: leftOutField,
    decisions_left: z.int().describe('Decisions that this server will still take.'),
    next: nextField,
  }),
  run: (session, { workflow_id, dry_run, ...wanted }) =>
    session.inTurn(async () => {
      const request: RecoverRequest = {
        ...wanted,
        actor: session.actor,
        max_memory_bytes: session.place.offer.memory_bytes,
        max_runtime_ms: null,
        agent: session.agentLimits,
        dry_run,
      };
      const result = await session.engine.recover(workflow_id, request);
      if (!dry_run) session.countDecisions(result.retried.length);
      const guard = await session.guardFor(
        workflow_id,
        [...result.retried, ...result.left].slice(0, 200).map(({ job_id }) => job_id),
      );
      const status = await session.engine.status(workflow_id);
      return {
        summary: `${dry_run ? 'Nothing was changed. ' : ''}${result.retried.length} ${dry_run ? 'would be' : 'are'} tried again, ${result.left.length} are left.`,
        workflow_id,
        dry_run,
        mode: result.mode,
        run_id: result.run_id,
        ...toJobLists(result, guard),
        decisions_left: await session.decisionsLeft(),
        next: dry_run ? 'Call it again without dry_run to apply this.' : nextStep(status),
      };
    }),
});

function toJobLists({ retried, left }: RecoverResult, guard: TextGuard) {
  const named = <T extends { name: string }>(item: T): T => ({ ...item, name: guard.line(item.name) });
  const first = takeWithin(retried.map(named), ANSWER_BYTES / 2);
  const second = takeWithin(left.map(named), ANSWER_BYTES / 3);
  return { retried: first.taken, left: second.taken, left_out: first.left_out + second.left_out };
}
