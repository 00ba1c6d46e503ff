import type { z } from 'zod';
import type { hint } from '../schemas/hint.ts';

export type Hint = z.infer<typeof hint>;
