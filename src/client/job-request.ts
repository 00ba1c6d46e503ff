import { HoldfastError } from '../core/errors.ts';
import type { RetrySpec } from '../spec/schema/retry-schema.ts';
import type { WorkflowSpec } from '../spec/schema/workflow-schema.ts';

/** What one job may use. */
export interface JobResources {
  /** CPUs; parts of one are possible. */
  cpu?: number;
  /** `512m`, `2g`, or bytes. */
  memory?: string | number;
  gpus?: number;
  /** How long one attempt may take: `30m`, or seconds. */
  runtime?: string | number;
}

/**
 * When a job is tried again. Waits are given in milliseconds (`initial_retry_delay_ms`, `max_retry_delay_ms`) or in
 * seconds (`initial_delay`, `max_delay`).
 */
export type RetryConfig = RetrySpec;

/** A command to run on a worker of the server. */
export interface JobRequest {
  name: string;
  /** Run by bash. */
  command: string;
  resources?: JobResources;
  /** Environment variables. Values of those named like secrets are hidden by the server. */
  environment?: Record<string, string | number | boolean>;
  /** Names of ports that each attempt is given: `http` as HOLDFAST_PORT_HTTP. */
  ports?: string[];
  /** How long it may wait for its first start; 0: as long as it takes. */
  scheduling_timeout_seconds?: number;
  retry?: RetryConfig;
  /** Labels that its worker must have. */
  labels?: string[];
  /** Where it runs; a relative path is seen from where the worker was started. */
  cwd?: string;
}

/** A job by itself is a workflow of one. `output`: the user data that it sets. */
export function specOfJob(request: JobRequest, output?: string): WorkflowSpec {
  const { name, command, resources, environment, ports, retry, labels, cwd: _, ...more } = request;
  const { scheduling_timeout_seconds: timeout = 0, ...unknown } = more;
  refuse(unknown, '');
  return {
    name,
    ...(output !== undefined && { user_data: [{ name: output, is_ephemeral: true }] }),
    jobs: [
      {
        name,
        command,
        ...(resources !== undefined && { resource_requirements: requirementOf(resources) }),
        ...(environment !== undefined && { env: environment }),
        ...(ports !== undefined && { ports }),
        ...(timeout !== 0 && { scheduling_timeout: timeout }),
        ...(retry !== undefined && { retry }),
        ...(labels !== undefined && { labels }),
        ...(output !== undefined && { output_user_data: [output] }),
      },
    ],
  };
}

function requirementOf({ cpu, memory, gpus, runtime, ...unknown }: JobResources) {
  refuse(unknown, 'resources.');
  return {
    ...(cpu !== undefined && { num_cpus: cpu }),
    ...(memory !== undefined && { memory }),
    ...(gpus !== undefined && { num_gpus: gpus }),
    ...(runtime !== undefined && { runtime }),
  };
}

/** A key that is left out without a word would be a limit, or a variable, that a job does not have. */
function refuse(unknown: object, place: string): void {
  const [key] = Object.keys(unknown);
  if (key === undefined) return;
  throw new HoldfastError('INVALID_ARGUMENT', { argument: `${place}${key}`, problem: 'is not known here' });
}
