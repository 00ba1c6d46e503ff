import type { Engine } from '../../contract/engine.ts';
import type { LogChunk, LogQuery } from '../../contract/records/log-access.ts';
import { maskBytes, remainingLength, unfinishedLength } from './mask-log.ts';
import type { RecordMask } from './mask-records.ts';

export const LARGEST_PIECE = 1024 * 1024;

/** Logs with their secrets masked, wherever in them a reader begins. */
export class MaskedLogs {
  readonly #engine: Pick<Engine, 'readLog'>;
  readonly #mask: RecordMask;

  constructor(engine: Pick<Engine, 'readLog'>, mask: RecordMask) {
    this.#engine = engine;
    this.#mask = mask;
  }

  /** As the engine has it. Of a log that grows, what may be half a secret is held back. */
  async read(workflowId: number, query: LogQuery): Promise<LogChunk> {
    const { texts } = await this.#mask.secretsOf(workflowId);
    if (texts.length === 0) return this.#engine.readLog(workflowId, query);
    const secrets = texts.map((text) => Buffer.from(text));
    const margin = Math.max(...secrets.map(({ length }) => length));
    const limit = Math.min(query.limit ?? LARGEST_PIECE, Math.max(1, LARGEST_PIECE - 2 * margin));
    const from = await this.#firstByte(workflowId, query);
    const chunk = await this.#engine.readLog(workflowId, {
      ...query,
      offset: Math.max(0, from - margin),
      limit: limit + 2 * margin,
    });
    const masked = maskBytes(chunk.data, secrets);
    const isCut = chunk.offset > Math.max(0, from - margin);
    if (isCut) masked.fill('*', 0, remainingLength(masked, secrets));
    const offset = Math.max(from, chunk.offset);
    const start = offset - chunk.offset;
    const isEnd = chunk.offset + chunk.data.length >= chunk.size && start + limit >= masked.length;
    const held = isEnd && !chunk.ended ? unfinishedLength(masked, secrets) : 0;
    const data = masked.subarray(start, Math.max(start, Math.min(start + limit, masked.length - held)));
    return { ...chunk, offset, data };
  }

  async #firstByte(workflowId: number, query: LogQuery): Promise<number> {
    const { offset = 0 } = query;
    if (offset >= 0) return offset;
    const { size } = await this.#engine.readLog(workflowId, { ...query, limit: 1 });
    return Math.max(0, size + offset);
  }
}
