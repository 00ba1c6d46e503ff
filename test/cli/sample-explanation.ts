import type { Explanation } from '../../src/contract/records/records.ts';
import { DEFAULT_JOB_CONFIG, NO_REQUIREMENT } from '../../src/core/model/workflow-model.ts';
import { job } from './records.ts';

/** Of a completed job of which nothing more is known. */
export function explanation(given: Partial<Explanation> = {}): Explanation {
  return {
    job: {
      ...job(),
      config: { ...DEFAULT_JOB_CONFIG, command: 'true' },
      requirement: NO_REQUIREMENT,
      depends_on: [],
    },
    headline: 'completed in its first attempt',
    next: 'nothing, it is done',
    hint: null,
    waits: [],
    attempts: [],
    ...given,
  };
}
