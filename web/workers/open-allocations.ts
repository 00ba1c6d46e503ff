import type { AllocationRecord } from '../../src/contract/records/allocation.ts';

/** States of allocations that have not ended. */
export const OPEN_ALLOCATIONS: AllocationRecord['state'][] = ['planned', 'submitting', 'queued', 'running'];
