import type { BodyOf } from '../../contract/endpoint.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import type { LogPart } from '../../contract/records/log-access.ts';

type SentPart = BodyOf<typeof endpoints.putLogs>['parts'][number];

/** Well below what a server takes at once, with the data in base64. */
const MOST_BYTES = 2 * 1024 * 1024;
const MOST_PARTS = 1000;

/** The parts as they are sent, as many at once as a request may have. */
export function* logBatches(parts: readonly LogPart[]): Generator<SentPart[]> {
  let batch: SentPart[] = [];
  let bytes = 0;
  for (const { token, stream, offset, data } of parts) {
    if (batch.length === MOST_PARTS || (batch.length > 0 && bytes + data.length > MOST_BYTES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    const { buffer, byteOffset, byteLength } = data;
    batch.push({
      token,
      stream,
      offset,
      data: Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64'),
    });
    bytes += data.length;
  }
  if (batch.length > 0) yield batch;
}
