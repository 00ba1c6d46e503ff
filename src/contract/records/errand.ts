import type { z } from 'zod';
import type {
  actionOrder,
  errandOrder,
  errandRecord,
  errandReport,
  evaluationOrder,
  heldErrand,
  outputsOrder,
  postOrder,
  recoveryOrder,
} from '../schemas/errand.ts';
import type { SpanPage, TraceOrder } from './trace.ts';

// Work beside an attempt or a run. The schemas describe it; nothing here is loaded at run time.

export type PostOrder = z.infer<typeof postOrder>;
export type RecoveryOrder = z.infer<typeof recoveryOrder>;
export type EvaluationOrder = z.infer<typeof evaluationOrder>;
export type ActionOrder = z.infer<typeof actionOrder>;
export type OutputsOrder = z.infer<typeof outputsOrder>;
export type ErrandOrder = z.infer<typeof errandOrder>;
export type ErrandKind = ErrandOrder['kind'];
export type ErrandRecord = z.infer<typeof errandRecord>;
export type ErrandReport = z.infer<typeof errandReport>;
export type HeldErrand = z.infer<typeof heldErrand>;

/** An errand that the server does itself. */
export interface ServerErrand {
  id: number;
  /** null: it is about a request. */
  workflow_id: number | null;
  run_id: number | null;
  kind: string;
  data: unknown;
}

/** What a handler may use. */
export interface ErrandTools {
  /** The next spans of an order. */
  readSpans(order: TraceOrder): Promise<SpanPage>;
  /** Replaces the data of the errand: what was done is not repeated. */
  keep(data: unknown): Promise<void>;
}

/** What a handler throws if another try would not help. */
export class FinalFailure extends Error {}

/** How the server does its errands of one kind. */
export interface ServerErrandHandler {
  kind: string;
  /**
   * Called outside every transaction; what it returns is stored as JSON. After a crash another server calls it again, so
   * it must be safe to repeat. When the signal is aborted it stops: the errand was canceled, or is another server's.
   */
  run(errand: ServerErrand, signal: AbortSignal, tools: ErrandTools): Promise<unknown>;
  /** In how many ms a try that failed is repeated, after so many tries; null: no more. Absent: it is not repeated. */
  retryMs?(tries: number): number | null;
}
