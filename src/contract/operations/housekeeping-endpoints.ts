import { z } from 'zod';
import { json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter } from '../parameters.ts';
import { pruneRequest, pruneResult, removalSchema } from '../schemas/housekeeping.ts';
import { reason } from '../schemas/scalars.ts';
import { workflowSchema } from '../schemas/workflow-records.ts';

const tag = 'Housekeeping';

const archiveRequest = z.strictObject({ reason: reason.exactOptional() }).meta({ id: 'ArchiveRequest' });

export const housekeepingEndpoints = {
  deleteWorkflow: operation({
    method: 'DELETE',
    path: '/api/v1/workflows/{workflow_id}',
    role: 'admin',
    tag,
    summary: 'Removes a workflow of which nothing runs, with its jobs, attempts, events and logs.',
    query: z.strictObject({ dry_run: flagParameter.exactOptional() }),
    answer: json(removalSchema),
  }),
  pruneWorkflows: operation({
    method: 'POST',
    path: '/api/v1/workflows/prune',
    role: 'admin',
    tag,
    summary: 'Removes complete workflows by age and number. Archived ones and rounds of requests stay.',
    body: pruneRequest,
    answer: json(pruneResult),
  }),
  archiveWorkflow: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/archive',
    role: 'operator',
    tag,
    summary: 'Archives a complete workflow: lists leave it out, and nothing prunes it.',
    body: archiveRequest,
    answer: json(workflowSchema),
  }),
  unarchiveWorkflow: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/unarchive',
    role: 'operator',
    tag,
    summary: 'Shows an archived workflow in lists again.',
    body: archiveRequest,
    answer: json(workflowSchema),
  }),
};
