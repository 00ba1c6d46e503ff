import { z } from 'zod';
import { RULE_NAMES } from '../../../core/policy/decision.ts';
import { category, jobStatus, millis } from '../scalars.ts';
import { specCheckRequest } from './spec-check.ts';

const limit = z.number().nullable();
const count = z.int();

export const simulationRequest = specCheckRequest
  .extend({
    job: z.string().min(1).max(1000).describe('Name of the job.'),
    outcomes: z
      .array(z.string().max(2000))
      .min(1)
      .max(20)
      .describe(
        'How its attempts end, in order: each as one of `simulate --outcomes`, such as `10`, `oom` or `1:text on stderr`.',
      ),
  })
  .meta({ id: 'SimulationRequest' });

const nextAttempt = z
  .object({
    starts_at_ms: millis,
    wait_ms: millis,
    recovery_script: z.string().nullable().describe('Run once before it.'),
    memory_bytes: limit,
    runtime_ms: limit,
  })
  .meta({ id: 'SimulatedNext' });

const simulatedStep = z
  .object({
    attempt_id: z.int(),
    starts_at_ms: millis,
    ends_at_ms: millis,
    memory_bytes: limit.describe('What the attempt may use.'),
    runtime_ms: limit,
    outcome: z.string().describe('In words.'),
    match_code: z.int().nullable(),
    category: category.nullable(),
    verdict: z.enum([
      ...['complete', 'call', 'retry', 'requeue', 'fail', 'abort', 'ask', 'cancel', 'goto', 'loop_abort'],
      ...['supersede', 'disable'],
    ] as const),
    rule: z.enum(RULE_NAMES),
    reason: z.string(),
    handler_outcome: z
      .enum(['Retried', 'NoHandler', 'NoMatchingRule', 'MaxRetriesExceeded', 'Error'])
      .nullable(),
    status: jobStatus.describe('Of the job after the attempt; `blocked` if a route leads elsewhere.'),
    failure_count: count,
    preemption_count: count,
    next: nextAttempt.nullable().describe('The attempt that follows; null at the end.'),
  })
  .meta({ id: 'SimulatedStep' });

/** How one job would run with given outcomes. Times count from the first start. */
export const simulation = z
  .object({
    job: z.string(),
    policy: z.array(z.string()).describe('In words.'),
    steps: z.array(simulatedStep),
    status: jobStatus.describe('Of the job after the steps.'),
    unused: z.array(z.string()).describe('Outcomes that were left when the job had ended.'),
  })
  .meta({ id: 'Simulation' });
