import { z } from 'zod';
import { defineTool, dryRunArgument, jobArgument, summaryField, workflowIdArgument } from '../tool.ts';

const change = z.object({ from: z.number().nullable(), to: z.number() }).nullable();

export const updateJobResources = defineTool({
  name: 'update_job_resources',
  title: 'Change what a job may use',
  description:
    'Changes memory or runtime of the next attempts of one job, of this job alone; a running attempt keeps what it has. It does not start anything. Use it for a job that has not run yet; for one that waits for a decision give memory or runtime with classify_and_resolve_failures instead.',
  kind: 'opt_in',
  effects: { destructive: false, idempotent: true },
  input: z.strictObject({
    workflow_id: workflowIdArgument,
    job_id: jobArgument,
    memory: z.string().max(40).optional().describe('e.g. 8g'),
    runtime: z.string().max(40).optional().describe('e.g. 2h or PT2H'),
    dry_run: dryRunArgument,
  }),
  output: z.object({
    summary: summaryField,
    workflow_id: z.int(),
    job_id: z.int(),
    name: z.string(),
    dry_run: z.boolean(),
    memory_bytes: change,
    runtime_ms: change,
  }),
  run: (session, { workflow_id, job_id, memory, runtime, dry_run }) =>
    session.inTurn(async () => {
      const result = await session.engine.changeResources(workflow_id, job_id, {
        actor: session.actor,
        dry_run,
        ...(memory !== undefined && { memory }),
        ...(runtime !== undefined && { runtime }),
      });
      const guard = await session.guardFor(workflow_id, [result.job_id]);
      return {
        summary: `${dry_run ? 'Nothing was changed. Would change' : 'Changed'} what the next attempts of job ${result.job_id} may use.`,
        workflow_id,
        job_id: result.job_id,
        name: guard.line(result.name),
        dry_run: result.dry_run,
        memory_bytes: result.memory_bytes,
        runtime_ms: result.runtime_ms,
      };
    }),
});
