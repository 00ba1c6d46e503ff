/** A span of a trace: something that took time. */
export interface TraceSpan {
  /** 32 and 16 hexadecimal digits. */
  trace_id: string;
  span_id: string;
  parent_id: string | null;
  name: string;
  start_ms: number;
  end_ms: number;
  /** `unset`: neither a success nor a failure, such as a wait. */
  status: 'ok' | 'error' | 'unset';
  /** Why it failed; null unless it did. */
  problem: string | null;
  attributes: Record<string, string | number | boolean>;
}

/** How a run ended, for its span. */
export interface TracedEnd {
  state: string;
  exit_code: number | null;
  created_at_ms: number;
  finished_at_ms: number;
  jobs: Record<'total' | 'completed' | 'failed' | 'canceled', number>;
}

/** Spans that are to be sent: of attempts that were closed by events after one and up to another. */
export interface TraceOrder {
  after_event: number;
  to_event: number;
  /** How often the run had ended, with this end. */
  ends: number;
  /** null: the run is still open. */
  end: TracedEnd | null;
}

export interface SpanPage {
  spans: TraceSpan[];
  /** What is left of the order; null: nothing. */
  rest: TraceOrder | null;
}
