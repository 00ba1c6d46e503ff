import { z } from 'zod';
import { LONGEST_LEASE_MS, SHORTEST_LEASE_MS } from '../../core/worker/lease.ts';
import { LOG_STREAMS } from '../records/log-access.ts';
import { claim, finishReport } from './claim.ts';
import { errandOrder, errandReport, heldErrand } from './errand.ts';
import { amount, id, millis, word } from './scalars.ts';
import { workerSchema } from './workflow-records.ts';

const token = id;
const count = z.number().min(0).max(1_000_000);
/** What is free may be less than nothing, where more was handed out than there is. */
const free = z.number().min(-4e15).max(4e15);
const nodeCount = z.int().min(1).max(1_000_000);
const path = z
  .string()
  .max(4096)
  .regex(/^[^\0]*$/);

/** The process that claims jobs, so that another one can check whether it still lives. */
export const workerIdentity = z
  .strictObject({
    host: word,
    boot_id: word,
    pid: z
      .int()
      .min(0)
      .max(2 ** 31),
    /** Start time of the process, in the units of the host; shows that a pid was reused. */
    start_time: word,
    site: word,
    labels: z.array(word).max(100),
    /**
     * `run`: it drives one run, and what it started dies with it. `service`: it works for a server; its launcher lives
     * on when it is restarted, so that only its lease shows whether it is alive.
     */
    kind: z.enum(['run', 'service']),
    /** All that it has. */
    cpus: count,
    memory_bytes: amount,
    gpus: z.int().min(0).max(1_000_000),
    /** How many nodes it has for jobs with `num_nodes`; absent: it is one machine, and runs them there. */
    nodes: nodeCount.exactOptional(),
    /** How many jobs it runs at once; absent: as many as fit. */
    max_parallel: z.int().min(1).max(1_000_000).exactOptional(),
    /** How long it will be there; absent: without end. */
    time_left_ms: amount.exactOptional(),
    /** The allocation of a cluster in which it runs; absent: it runs outside of one. */
    allocation: z
      .strictObject({ tag: word, id: word, node: z.int().min(0), restarts: z.int().min(0) })
      .exactOptional(),
    /** How long it keeps its jobs without contact; 30 s if absent. */
    lease_ms: z.int().min(SHORTEST_LEASE_MS).max(LONGEST_LEASE_MS).exactOptional(),
    /** Its state directory: a newer worker in the same one shows that this one is dead. */
    directory: path.exactOptional(),
  })
  .meta({ id: 'WorkerIdentity' });

/** More than a worker ever has at once; what is left over comes with its next exchange. */
const reports = <T extends z.ZodType>(report: T) => z.array(report).max(10_000);

export const exchangeRequest = z
  .strictObject({
    started: reports(z.strictObject({ token, started_at_ms: amount })),
    finished: reports(finishReport),
    errands: reports(errandReport),
    /** The worker is about to leave: it only takes what is to be done at its end. */
    leaving: z.boolean().exactOptional(),
    /** null: report only. */
    capacity: z
      .strictObject({
        cpus: free,
        memory_bytes: free,
        gpus: free,
        // A worker that only its machine limits offers more than any workflow has.
        /** How many more jobs it would start. */
        slots: z.int(),
        nodes: free.exactOptional(),
        /** CPUs that a job without a requirement takes. */
        default_cpus: count,
        /** How long it will be there; absent: as long as it said when it was registered. */
        time_left_ms: amount.exactOptional(),
      })
      .nullable(),
    /** Only jobs of this workflow (default: of any shared one). */
    workflow_id: id.exactOptional(),
    /**
     * Rises by one with each exchange of the worker. The newest one can be sent again when its answer was lost: it
     * changes nothing more and gives the same answer. Absent where no answer can be lost.
     */
    seq: id.exactOptional(),
    /** The worker's clock when this is sent; times in it are shifted where the clocks differ. Absent: there is one clock. */
    sent_at_ms: amount.exactOptional(),
  })
  .meta({ id: 'Exchange' });

export const exchangeResult = z
  .object({
    claims: z.array(claim),
    /** Tokens whose report changed nothing, because the attempt had ended or was never this worker's. */
    rejected: z.array(token),
    /** Live attempts of this worker whose job was canceled. */
    cancel: z.array(token),
    /** Live attempts of this worker whose workflow was stopped: to be ended as `stopped`. */
    stop: z.array(token),
    errands: z.array(errandOrder),
    /** Errands of this worker that are to be stopped. */
    cancel_errands: z.array(id),
    /** The time of the engine, which may differ from the worker's. */
    at_ms: millis,
    /** When the next waiting job becomes due, by the engine's clock; null if none waits. */
    next_due_at_ms: millis.nullable(),
    /** What is left of the worker's lease, from when the exchange was sent. */
    lease_ms: millis,
    /** An operator wants the worker to end what it has, take nothing more, and leave. */
    drain: z.boolean(),
    /** Live attempts whose logs are being read: send what is new. */
    follow: z.array(token),
    /** The only workflow that was asked about is complete, stopped or gone: nothing more is to be expected from it. */
    over: z.boolean().exactOptional(),
  })
  .meta({ id: 'ExchangeResult' });

/** A live attempt of a worker. One that its launcher does not know, and that was not reported, never started. */
export const heldAttempt = z
  .object({
    claim,
    started_at_ms: millis.nullable(),
    /** What was reported of its end, while its post script runs or its code is evaluated. */
    observed: finishReport.nullable(),
  })
  .meta({ id: 'HeldAttempt' });

/** A new worker, with the secret that its process shows from now on; only the hash of the secret is stored. */
export const registeredWorker = workerSchema
  .extend({ secret: z.string().describe('Returned only here; every request for the worker carries it.') })
  .meta({ id: 'RegisteredWorker' });

/** A worker that was restarted, with what it holds. */
export const resumedWorker = z
  .object({
    worker: workerSchema,
    /** The newest of its exchanges that was accepted. */
    seq: z.int(),
    held: z.array(heldAttempt),
    errands: z.array(heldErrand),
  })
  .meta({ id: 'ResumedWorker' });

export const adoption = z
  .discriminatedUnion('mode', [
    z.object({ mode: z.literal('drive'), lost: z.int() }),
    z.object({ mode: z.literal('follow'), worker: workerSchema }),
  ])
  .meta({ id: 'Adoption' });

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
