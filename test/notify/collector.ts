import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

const value = z.union([
  z.strictObject({ stringValue: z.string() }),
  z.strictObject({ boolValue: z.boolean() }),
  // 64-bit numbers are texts in OTLP's JSON.
  z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
  z.strictObject({ doubleValue: z.number() }),
]);
const attributes = z.array(z.strictObject({ key: z.string().min(1), value }));
const nanoseconds = z.string().regex(/^[1-9]\d{17,18}$/);

const spanSchema = z
  .strictObject({
    traceId: z.string().regex(/^[0-9a-f]{32}$/),
    spanId: z.string().regex(/^[0-9a-f]{16}$/),
    parentSpanId: z
      .string()
      .regex(/^[0-9a-f]{16}$/)
      .optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanoseconds,
    endTimeUnixNano: nanoseconds,
    attributes,
    status: z.strictObject({ code: z.int().min(0).max(2), message: z.string().optional() }),
  })
  .refine(({ startTimeUnixNano, endTimeUnixNano }) => BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano));

/** What ExportTraceServiceRequest is in JSON, as much of it as there is; anything else is refused. */
const requestSchema = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: z.strictObject({ attributes }),
      scopeSpans: z.array(
        z.strictObject({
          scope: z.strictObject({ name: z.string(), version: z.string() }),
          spans: z.array(spanSchema).min(1),
        }),
      ),
    }),
  ),
});

export interface ReceivedSpan {
  trace: string;
  id: string;
  parent: string | null;
  name: string;
  code: number;
  message: string | null;
  start: number;
  end: number;
  attributes: Record<string, unknown>;
}

/** A collector of OpenTelemetry. `status` is what it answers; null: it never does. `spans`: those that it took. */
export async function collector(status: number | null = 200) {
  const spans: ReceivedSpan[] = [];
  const requests: { path: string; headers: Record<string, unknown>; resource: Record<string, unknown> }[] =
    [];
  const answer = { status, body: '{}', onRequest: () => {} };
  const server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      answer.onRequest();
      const parsed = requestSchema.safeParse(JSON.parse(text));
      if (!parsed.success) {
        response.writeHead(400).end(parsed.error.message);
        return;
      }
      const [first] = parsed.data.resourceSpans;
      requests.push({
        path: request.url!,
        headers: request.headers,
        resource: plain(first!.resource.attributes),
      });
      if (answer.status === null) return;
      if (answer.status === 200) {
        for (const { scopeSpans } of parsed.data.resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans.map(received));
      }
      response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, spans, requests, answer };
}

function received(span: z.infer<typeof spanSchema>): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, status, startTimeUnixNano, endTimeUnixNano } = span;
  return {
    trace: traceId,
    id: spanId,
    parent: parentSpanId ?? null,
    name,
    code: status.code,
    message: status.message ?? null,
    start: Number(BigInt(startTimeUnixNano) / 1_000_000n),
    end: Number(BigInt(endTimeUnixNano) / 1_000_000n),
    attributes: plain(span.attributes),
  };
}

function plain(list: z.infer<typeof attributes>): Record<string, unknown> {
  return Object.fromEntries(
    list.map(({ key, value: given }) => [
      key,
      'intValue' in given ? Number(given.intValue) : Object.values(given)[0],
    ]),
  );
}
