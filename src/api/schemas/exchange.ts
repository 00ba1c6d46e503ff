import { z } from 'zod';
import { ACTION_TRIGGERS } from '../../core/action.ts';
import type { Adoption } from '../../core/engine.ts';
import type { EvaluationInputs, ForeachInput } from '../../core/evaluation.ts';
import type {
  Claim,
  EvaluationOrder,
  Exchange,
  ExchangeResult,
  FinishReport,
  HeldAttempt,
  ResumedWorker,
  WorkerIdentity,
} from '../../core/exchange.ts';
import { LOG_STREAMS } from '../../core/log-access.ts';
import type { PostResult } from '../../core/post-result.ts';
import { schemaFor } from '../schema-for.ts';
import { jobConfig, requirement } from './job-config.ts';
import { evaluation, usage } from './job-records.ts';
import { amount, category, id, jobStatus, millis, outcome } from './scalars.ts';
import { workerRecord } from './workflow-records.ts';

const token = id;
const count = z.number().min(0).max(1_000_000);
/** What is free may be less than nothing, where more was handed out than there is. */
const free = z.number().min(-4e15).max(4e15);
const word = z
  .string()
  .max(200)
  .regex(/^[^\0]*$/);
const anything = z.record(z.string(), z.unknown());

export const workerIdentity = schemaFor<WorkerIdentity>()(
  z
    .strictObject({
      host: word,
      boot_id: word,
      pid: z
        .int()
        .min(0)
        .max(2 ** 31),
      start_time: word,
      site: word,
      labels: z.array(word).max(100),
      kind: z.enum(['run', 'service']),
      cpus: count,
      memory_bytes: amount,
      gpus: z.int().min(0).max(1_000_000),
    })
    .meta({ id: 'WorkerIdentity' }),
);

const postResult = schemaFor<PostResult>()(
  z.strictObject({
    exitCode: z.int().nullable(),
    category: category.nullable(),
    badInputs: z.array(z.string().max(10_000)).max(100_000),
    memoryBytes: amount.nullable(),
    runtimeMs: amount.nullable(),
    delayMs: amount.nullable(),
    problem: z.string().max(10_000).nullable(),
  }),
);

const finishReport = schemaFor<FinishReport>()(
  z
    .strictObject({
      token,
      started_at_ms: amount.nullable(),
      finished_at_ms: amount,
      outcome,
      usage: usage.nullable(),
      output: z.unknown().exactOptional(),
      user_data: anything.exactOptional(),
      stderr_matches: z.array(z.string().max(10_000)).max(10_000).exactOptional(),
      fingerprint: word.exactOptional(),
      post: postResult.exactOptional(),
      evaluations: z.array(evaluation).max(10).exactOptional(),
    })
    .meta({ id: 'FinishReport' }),
);

/** More than a worker ever has at once; what is left over comes with its next exchange. */
const reports = <T extends z.ZodType>(report: T) => z.array(report).max(10_000);

export const exchangeRequest = schemaFor<Exchange>()(
  z
    .strictObject({
      started: reports(z.strictObject({ token, started_at_ms: amount })),
      finished: reports(finishReport),
      recovered: reports(z.strictObject({ token, outcome })),
      acted: reports(z.strictObject({ action_id: id, outcome })),
      evaluated: reports(z.strictObject({ token, evaluations: z.array(evaluation).max(10) })),
      leaving: z.boolean().exactOptional(),
      capacity: z
        .strictObject({
          cpus: free,
          memory_bytes: free,
          gpus: free,
          // A worker that only its machine limits offers more than any workflow has.
          slots: z.int(),
          default_cpus: count,
        })
        .nullable(),
      workflow_id: id.exactOptional(),
      seq: id.exactOptional(),
      sent_at_ms: amount.exactOptional(),
    })
    .meta({ id: 'Exchange' }),
);

const foreach = schemaFor<ForeachInput>()(
  z.object({
    key: z.union([z.string(), z.number()]),
    index: z.int(),
    total: z.int(),
    path: z.string(),
  }),
);

const inputs = schemaFor<EvaluationInputs>()(
  z
    .object({
      step: z.object({ id: z.string(), tags: z.array(z.string()), group: z.string().nullable() }),
      attempt: z.int(),
      loop: z.int(),
      error: z
        .object({
          message: z.string(),
          code: z.int().nullable(),
          exitCode: z.int().nullable(),
          stdout: z.string(),
          stderr: z.string(),
        })
        .nullable(),
      foreach: foreach.nullable(),
      outputs: anything,
      outputs_history: z.record(z.string(), z.array(z.unknown())),
      output: z.unknown(),
      pr: z.unknown(),
      files: z.unknown(),
      env: z.record(z.string(), z.string()),
    })
    .meta({ id: 'EvaluationInputs' }),
);

const evaluationOrder = schemaFor<EvaluationOrder>()(
  z
    .object({
      of: z.enum(['attempt', 'route']),
      token,
      codes: z.array(z.object({ key: z.enum(['if', 'fail_if', 'run_js', 'goto_js']), code: z.string() })),
      inputs,
      env: z.array(z.string()),
      logs: z.object({ stdout: z.string(), stderr: z.string() }).exactOptional(),
    })
    .meta({ id: 'EvaluationOrder' }),
);

const claim = schemaFor<Claim>()(
  z
    .object({
      token,
      workflow_id: id,
      run_id: id,
      job_id: id,
      job_name: z.string(),
      scope: z.string(),
      visit: z.int(),
      attempt_id: z.int(),
      cwd: z.string(),
      output_dir: z.string(),
      config: jobConfig,
      requirement,
      stderr_patterns: z.array(z.string()),
      condition: z.object({ inputs, env: z.array(z.string()) }).nullable(),
      outputs: anything,
      failures: z.record(
        z.string(),
        z.array(
          z.object({
            key: z.union([z.string(), z.number()]),
            index: z.int(),
            status: jobStatus,
            error: z.string(),
          }),
        ),
      ),
      foreach: foreach.nullable(),
      variables: anything,
      user_data: anything,
    })
    .meta({ id: 'Claim' }),
);

const actionOrder = z
  .object({
    action_id: id,
    workflow_id: id,
    run_id: id,
    trigger: z.enum(ACTION_TRIGGERS),
    commands: z.array(z.string()),
    cwd: z.string(),
    output_dir: z.string(),
  })
  .meta({ id: 'ActionOrder' });

export const exchangeResult = schemaFor<ExchangeResult>()(
  z
    .object({
      claims: z.array(claim),
      rejected: z.array(token),
      cancel: z.array(token),
      post: z.array(token),
      recover: z.array(z.object({ token, script: z.string(), return_code: z.int() })),
      act: z.array(actionOrder),
      evaluate: z.array(evaluationOrder),
      at_ms: millis,
      next_due_at_ms: millis.nullable(),
      lease_ms: millis,
      drain: z.boolean(),
      follow: z.array(token),
    })
    .meta({ id: 'ExchangeResult' }),
);

const heldAttempt = schemaFor<HeldAttempt>()(
  z
    .object({
      claim,
      started_at_ms: millis.nullable(),
      observed: finishReport.nullable(),
      question: z.union([z.literal('post'), evaluationOrder]).nullable(),
    })
    .meta({ id: 'HeldAttempt' }),
);

export const resumedWorker = schemaFor<ResumedWorker>()(
  z
    .object({
      worker: workerRecord,
      seq: z.int(),
      held: z.array(heldAttempt),
      recoveries: z.array(token),
      actions: z.array(id),
    })
    .meta({ id: 'ResumedWorker' }),
);

export const adoption = schemaFor<Adoption>()(
  z
    .discriminatedUnion('mode', [
      z.object({ mode: z.literal('drive'), lost: z.int() }),
      z.object({ mode: z.literal('follow'), worker: workerRecord }),
    ])
    .meta({ id: 'Adoption' }),
);

/** As LogPart, with the data in base64. */
export const logParts = z
  .strictObject({
    parts: z
      .array(
        z.strictObject({
          token,
          stream: z.enum(LOG_STREAMS),
          offset: z.int().min(0),
          data: z.base64().describe('The bytes in base64.'),
        }),
      )
      .max(1000),
  })
  .meta({ id: 'LogParts' });
