import { z } from 'zod';
import { readJobRef } from './job-ref-text.ts';
import { LOG_STREAMS } from './records/log-access.ts';

// Parameters arrive as text. Each schema reads one and says what it is then.

const LARGEST_PAGE = 1000;

/** A whole number in plain digits. */
export function wholeNumber(minimum: number, maximum = Number.MAX_SAFE_INTEGER) {
  return z
    .string()
    .regex(/^-?\d{1,16}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum));
}

/** A number with or without decimals. */
export function decimalNumber(minimum: number, maximum: number) {
  return z
    .string()
    .regex(/^\d{1,16}(\.\d{1,20})?$/, 'must be a number')
    .transform(Number)
    .pipe(z.number().min(minimum).max(maximum));
}

export const idParameter = wholeNumber(1);

export const flagParameter = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .pipe(z.boolean());

export const jobParameter = z
  .string()
  .min(1)
  .max(1000)
  .transform(readJobRef)
  .pipe(z.union([z.int().min(0), z.string().min(1).max(1000)]))
  .describe('Number or name of the job; `name:` before a name that looks like a number.');

/** `a,b` or given more than once. */
export function listOf<T extends z.ZodType>(item: T) {
  return z.preprocess(
    (value) => (typeof value === 'string' ? value.split(',') : value),
    z.array(item).min(1).max(20),
  );
}

export const pageQuery = {
  after: wholeNumber(0).exactOptional().describe('The `next` of the page before.'),
  limit: wholeNumber(1, LARGEST_PAGE).exactOptional().describe('(default: 100)'),
};

export const NO_PARAMETERS = z.strictObject({});

/** What each parameter of a path is, by its name. */
export const pathParameters = {
  workflow_id: idParameter,
  job: jobParameter,
  job_id: idParameter,
  run_id: idParameter,
  worker_id: idParameter,
  allocation_id: idParameter,
  handler_id: idParameter,
  token_id: idParameter,
  request_name: z
    .string()
    .regex(/^[A-Za-z0-9._-]{1,100}(@\d{1,9})?$/)
    .describe('Name of a request: its newest version, or `name@2` for version 2.'),
  site: z.string().min(1).max(200),
  name: z.string().min(1).max(1000),
  stream: z.enum(LOG_STREAMS),
};
