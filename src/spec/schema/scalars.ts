import { z } from 'zod';
import { GROUP_NAME } from '../../core/access/may-change.ts';
import { parseDuration, parseSize } from '../../core/text/quantity.ts';

// The small values that many concepts are made of. Each carries its own message, because "invalid
// input" does not say what to write instead.

/** Names end up in messages, file lists and environment variables: one line, no NUL, not empty. */
export const nameText = z
  .string()
  .refine((text) => text.trim() !== '', { error: 'a name must not be empty' })
  .refine((text) => !/[\n\r\0]/.test(text), {
    error: 'a name must be on one line, without control characters',
  });

/** Names in JSON, compared as text; so the letters that would need an escape are left out. */
export const accessGroups = z
  .array(
    z.string().refine((name) => GROUP_NAME.test(name), {
      error: 'a group is at most 64 letters, digits and . _ @ -, and begins with a letter or digit',
    }),
  )
  .max(100)
  .overwrite((names) => [...new Set(names)]);

/** Text for a program: everything but NUL, which no process can be given. */
export const plainText = z
  .string()
  .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character' });

export const commandText = plainText.refine((text) => text.trim() !== '', {
  error: 'a command must not be empty',
});

/** One text, or a list of them. */
export const textOrList = z.union([nameText, z.array(nameText)], {
  error: 'expected a text or a list of texts',
});

export const duration = z
  .union([z.string(), z.number()], { error: 'expected a duration such as 30s, 1h30m or PT1H30M' })
  // The longest it can be: a bare number is seconds in `jobs`.
  .refine((value) => parseDuration(value, 1000) !== undefined, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a duration; write 30s, 1h30m, 5 minutes, PT1H30M or a number`,
  })
  .meta({ title: 'duration' });

/** A limit of nothing would end everything at once. */
export const timeLimit = duration
  .refine((value) => parseDuration(value, 1000) !== 0, {
    error: 'must be longer than 0; leave it out for no limit',
  })
  .meta({ title: 'duration' });

export const size = z
  .union([z.string(), z.number()], { error: 'expected a size such as 512m or 2g' })
  .refine((value) => parseSize(value) !== undefined, {
    error: (issue) =>
      `${JSON.stringify(issue.input)} is not a size; write 512m, 2g, 1.5g or a number of bytes`,
  })
  .meta({ title: 'size' });

export const sizeLimit = size
  .refine((value) => parseSize(value) !== 0, { error: 'must be more than 0; leave it out for no limit' })
  .meta({ title: 'size' });

export const count = z.int().min(0);
export const positiveCount = z.int().min(1);

/** Exit codes above 255 are possible: a job can report them in a file. */
export const exitCode = z.int().min(0);

/** Environment variables; numbers and booleans are taken as they are written. */
export const environment = z.record(
  z.string().regex(/^[^=\0]+$/, { error: 'is not a name for an environment variable' }),
  z.union([plainText, z.number(), z.boolean()], { error: 'expected a text, a number, true or false' }),
);
