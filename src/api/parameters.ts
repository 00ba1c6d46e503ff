import { z } from 'zod';
import { readJobRef } from './job-ref.ts';

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
  .pipe(z.union([z.int(), z.string()]))
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
  limit: wholeNumber(1, LARGEST_PAGE).exactOptional().describe('100 unless told.'),
};

export const NO_PARAMETERS = z.strictObject({});
export const workflowParams = z.strictObject({ workflow_id: idParameter });
export const jobParams = z.strictObject({ workflow_id: idParameter, job: jobParameter });
