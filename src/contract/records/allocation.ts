import type { z } from 'zod';
import type { allocationSchema, schedulerSchema } from '../schemas/allocation-records.ts';

// The schemas describe these records; nothing here is loaded at run time.

export type SchedulerRecord = z.infer<typeof schedulerSchema>;
export type AllocationRecord = z.infer<typeof allocationSchema>;
