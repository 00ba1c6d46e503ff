import type { z } from 'zod';
import type { workflowGraph } from '../schemas/pages/graph.ts';
import type { attentionItem, workflowSummary } from '../schemas/pages/overview.ts';
import type { simulation } from '../schemas/pages/simulation.ts';
import type { specCheck } from '../schemas/pages/spec-check.ts';
import type { jobTimeline } from '../schemas/pages/timeline.ts';

export type WorkflowSummary = z.infer<typeof workflowSummary>;
export type AttentionItem = z.infer<typeof attentionItem>;
export type PendingFailures = Extract<AttentionItem, { kind: 'failures' }>;
export type WorkflowGraph = z.infer<typeof workflowGraph>;
export type GraphGroup = WorkflowGraph['groups'][number];
export type JobTimeline = z.infer<typeof jobTimeline>;
export type AttemptSpan = JobTimeline['attempts'][number];
export type Simulation = z.infer<typeof simulation>;
export type SimulatedStep = Simulation['steps'][number];
export type SpecCheck = z.infer<typeof specCheck>;
