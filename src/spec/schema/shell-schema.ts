import { z } from 'zod';
import { NAMED_SHELLS } from '../../core/job/shell.ts';
import { plainText } from './scalars.ts';

const word = plainText.refine((text) => text !== '', { error: 'a word of a command line must not be empty' });

/** `strict` is `bash -euo pipefail -c`. */
export const shellSchema = z.union([z.enum(NAMED_SHELLS), z.array(word).min(1)], {
  error: 'expected bash, strict, or a command line as a list, such as [python3, -c]',
});
