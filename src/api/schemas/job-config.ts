import { z } from 'zod';
import type { RetryPolicy } from '../../core/retry-policy.ts';
import type { FailRoutes, Routes } from '../../core/routes.ts';
import type { JobConfig, Requirement } from '../../core/workflow-model.ts';
import { schemaFor } from '../schema-for.ts';
import { millis } from './scalars.ts';

export const retryPolicy = schemaFor<RetryPolicy>()(
  z
    .object({
      max_retries_failure: z.int(),
      max_retries_preemption: z.int(),
      initial_retry_delay_ms: millis,
      max_retry_delay_ms: millis,
      backoff_multiplier: z.number(),
      retry_on_exit_codes: z.array(z.int()),
      no_retry_on_exit_codes: z.array(z.int()),
      retry_on_timeout: z.boolean(),
      jitter: z.enum(['none', 'full', 'equal']),
      jitter_seed: z.number(),
    })
    .meta({ id: 'RetryPolicy' }),
);

const routeKeys = {
  run: z.array(z.string()),
  runJs: z.string().nullable(),
  goto: z.string().nullable(),
  gotoJs: z.string().nullable(),
};

const routes = schemaFor<Routes>()(z.object(routeKeys));

const failRoutes = schemaFor<FailRoutes>()(
  z.object({
    ...routeKeys,
    reattempt: z.object({ max: z.int(), mode: z.enum(['fixed', 'exponential']), delayMs: millis }),
  }),
);

export const requirement = schemaFor<Requirement>()(
  z
    .object({
      name: z.string().nullable(),
      cpus: z.number().nullable(),
      memoryBytes: z.number().nullable(),
      gpus: z.number(),
      nodes: z.number(),
      resources: z.record(z.string(), z.number()),
    })
    .meta({ id: 'Requirement' }),
);

export const jobConfig = schemaFor<JobConfig>()(
  z
    .object({
      command: z.string(),
      template: z.boolean(),
      cwd: z.string().nullable(),
      env: z
        .record(z.string(), z.string())
        .describe('Values of variables that are named like secrets are masked, except for workers.'),
      isolate: z.boolean(),
      ports: z.array(z.string()),
      timeoutMs: millis.nullable(),
      deadlineMs: millis.nullable(),
      schedulingTimeoutMs: millis.nullable(),
      limitResources: z.boolean(),
      inputFiles: z.array(z.string()),
      outputFiles: z.array(z.string()),
      userData: z.object({ inputs: z.array(z.string()), outputs: z.array(z.string()) }),
      output: z.enum(['auto', 'text', 'json', 'lines']).nullable(),
      retry: retryPolicy,
      failureHandler: z.string().nullable(),
      post: z.object({ command: z.string(), timeoutMs: millis }).nullable(),
      labels: z.array(z.string()),
      tags: z.array(z.string()),
      group: z.string().nullable(),
      reads: z.array(z.string()).nullable(),
      condition: z.string().nullable(),
      failIf: z.string().nullable(),
      continueOnFailure: z.boolean(),
      onCall: z.boolean(),
      forEach: z.boolean(),
      onFail: failRoutes.nullable(),
      onSuccess: routes.nullable(),
    })
    .meta({ id: 'JobConfig' }),
);
