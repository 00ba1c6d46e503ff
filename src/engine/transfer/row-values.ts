import { z } from 'zod';
import { LOG_TAIL_BYTES } from '../../contract/records/log-access.ts';
import { schedulerModel } from '../../contract/schemas/allocation-records.ts';
import { jobConfig } from '../../contract/schemas/job-config.ts';
import { attemptSchema, eventSchema, routeTaken, usage } from '../../contract/schemas/job-records.ts';
import { postResult } from '../../contract/schemas/post-result.ts';
import { jobStatus, outcomeSchema } from '../../contract/schemas/scalars.ts';
import { usageSamples } from '../../contract/schemas/usage-samples.ts';
import { STDIO_MODES } from '../../core/job/stdio.ts';
import { ACTION_TRIGGERS } from '../../core/model/action.ts';
import type { SqlValue } from '../../store/script.ts';
import type { Section } from './transfer-format.ts';

const numbers = z.record(z.string(), z.number());
const texts = z.array(z.string());
const record = z.record(z.string(), z.unknown());

/** What columns have to hold beyond their kind, because the engine relies on it: by table and column. */
const SHAPES: Readonly<Record<string, z.ZodType>> = {
  'workflow.metadata': record,
  'workflow.variables': record,
  'workflow.routing': z.object({
    maxLoops: z.int(),
    env: texts,
    context: z.object({ pr: z.unknown(), files: z.unknown() }),
  }),
  'workflow.limits': numbers,
  'workflow.sites': texts,
  'workflow.until': texts,
  'worker.labels': texts,
  'requirement.resources': numbers,
  'requirement.labels': texts,
  'failure_handler.rules': z.array(record),
  'job.config': jobConfig.partial(),
  'job.stdio': z.enum(STDIO_MODES),
  'job.serves': z.object({ call_id: z.int(), returns_to: z.looseObject({ status: jobStatus }) }),
  'attempt.outcome': outcomeSchema,
  'attempt.cause': attemptSchema.shape.cause,
  'attempt.category': attemptSchema.shape.category,
  'attempt.handler_outcome': attemptSchema.shape.handler_outcome,
  'attempt.route': routeTaken,
  'attempt.walk': z.array(record),
  'attempt.evaluations': attemptSchema.shape.evaluations,
  'attempt.observed': z.looseObject({ outcome: outcomeSchema, finished_at_ms: z.number() }),
  'attempt.post': postResult,
  'attempt.usage': usage,
  'attempt_samples.samples': usageSamples,
  'event.type': eventSchema.shape.type,
  'event.data': record,
  'scheduler.model': schedulerModel,
  'scheduler.seen': record,
  'action.trigger_type': z.enum(ACTION_TRIGGERS),
  'action.commands': texts,
  'action.schedule': z.looseObject({ scheduler: z.string(), allocations: z.number() }),
  'run.round_end': z.never(),
  'errand.result': record,
  'errand.data': record,
};

/** The longest name or other text that is no JSON. */
const MOST_TEXT = 1024 * 1024;

/** The values of a row as they are stored, numbers of rows left as they are. Throws a sentence about the first that is wrong. */
export function readValues({ name, columns }: Section, row: unknown): Record<string, SqlValue> {
  const kinds = Object.entries(columns);
  if (!Array.isArray(row) || row.length !== kinds.length) {
    throw new Error(`a row of ${name} has ${kinds.length} values`);
  }
  const values: Record<string, SqlValue> = {};
  for (const [index, [column, kind]] of kinds.entries()) {
    const given = row[index] as unknown;
    const problem = given === null ? null : problemOf(`${name}.${column}`, kind, given);
    if (problem !== null) throw new Error(`${name}.${column} ${problem}`);
    const isBytes = kind === 'bytes' && given !== null;
    values[column] = isBytes ? Buffer.from(String(given), 'base64') : (given as SqlValue);
  }
  return values;
}

function problemOf(place: string, kind: Section['columns'][string], value: unknown): string | null {
  switch (kind) {
    case 'real':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is no number';
    case 'text':
      if (typeof value !== 'string') return 'is no text';
      return value.length > MOST_TEXT ? 'is too long' : misshapen(place, value);
    case 'json':
      return typeof value === 'string' ? misshapen(place, parsed(value)) : 'is no text';
    case 'bytes':
      if (typeof value !== 'string' || !/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return 'is no base64';
      return value.length > Math.ceil(LOG_TAIL_BYTES / 3) * 4 ? 'is too long' : null;
    case 'int':
      return Number.isSafeInteger(value) ? null : 'is no whole number';
    default:
      return Number.isSafeInteger(value) && Number(value) > 0 ? null : `is no number of a ${kind}`;
  }
}

/** A symbol that no schema accepts stands for a text that is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return Symbol('no JSON');
  }
}

function misshapen(place: string, value: unknown): string | null {
  if (typeof value === 'symbol') return 'is no JSON';
  const shape = SHAPES[place];
  if (shape === undefined) return null;
  const { error } = shape.safeParse(value);
  if (error === undefined) return null;
  const { path, message } = error.issues[0]!;
  return `is not what it should be: ${path.length > 0 ? `${path.join('.')}: ` : ''}${message}`;
}
