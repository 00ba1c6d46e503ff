import type { z } from 'zod';
import type { attentionItem, workflowSummary } from '../schemas/pages/overview.ts';

export type WorkflowSummary = z.infer<typeof workflowSummary>;
export type AttentionItem = z.infer<typeof attentionItem>;
export type PendingFailures = Extract<AttentionItem, { kind: 'failures' }>;
