import { z } from 'zod';
import { json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter, pageQuery } from '../parameters.ts';
import { attentionItem, workflowSummary } from '../schemas/pages/overview.ts';
import { page } from '../schemas/scalars.ts';

const tag = 'Overview';

export const overviewEndpoints = {
  listSummaries: operation({
    method: 'GET',
    path: '/api/v1/overview',
    role: 'viewer',
    tag,
    summary: 'Lists workflows with their counts of jobs, newest first.',
    query: z.strictObject({
      ...pageQuery,
      name: z
        .string()
        .min(1)
        .max(200)
        .exactOptional()
        .describe(
          'Part of the name, or with `*` or `?` a pattern for all of it, such as `sim_*`; in any case.',
        ),
      open: flagParameter.exactOptional().describe('Only workflows whose current run has not ended.'),
      archived: flagParameter.exactOptional().describe('Archived ones instead of the others.'),
    }),
    answer: json(page(workflowSummary)),
  }),
  listAttention: operation({
    method: 'GET',
    path: '/api/v1/attention',
    role: 'viewer',
    tag,
    summary: 'Lists failures that wait for a decision, paused schedulers and silent workers.',
    answer: json(z.object({ items: z.array(attentionItem) }).meta({ id: 'Attention' })),
  }),
};
