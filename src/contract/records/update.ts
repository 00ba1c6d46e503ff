import type { z } from 'zod';
import type { updateResult } from '../schemas/rerun/update.ts';

export type UpdateResult = z.infer<typeof updateResult>;
export type UpdatedJob = UpdateResult['jobs'][number];
