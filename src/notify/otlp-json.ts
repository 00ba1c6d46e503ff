import type { TraceSpan } from '../contract/records/trace.ts';

type Attributes = Record<string, string | number | boolean>;

/** SPAN_KIND_INTERNAL: nobody called for it over a network. */
const INTERNAL = 1;
const STATUS_CODES = { unset: 0, ok: 1, error: 2 };

/** Spans as a request of OTLP in JSON: ids in hexadecimal digits, 64-bit numbers as texts. */
export function otlpJson(
  spans: readonly TraceSpan[],
  resource: Attributes,
  version: string,
): Record<string, unknown> {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(resource) },
        scopeSpans: [{ scope: { name: 'holdfast', version }, spans: spans.map(otlpSpan) }],
      },
    ],
  };
}

function otlpSpan(span: TraceSpan): Record<string, unknown> {
  const { trace_id, span_id, parent_id, name, start_ms, end_ms, status, problem, attributes } = span;
  return {
    traceId: trace_id,
    spanId: span_id,
    ...(parent_id !== null && { parentSpanId: parent_id }),
    name,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(start_ms),
    endTimeUnixNano: nanoseconds(end_ms),
    attributes: keyValues(attributes),
    status: { code: STATUS_CODES[status], ...(problem !== null && { message: problem }) },
  };
}

function keyValues(attributes: Attributes): { key: string; value: Record<string, unknown> }[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

function anyValue(value: string | number | boolean): Record<string, unknown> {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}

/** As a text: a number would lose digits. */
function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n);
}
