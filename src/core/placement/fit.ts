import { HoldfastError } from '../errors.ts';
import type { Requirement, WorkflowModel } from '../model/workflow-model.ts';
import { formatSize } from '../text/quantity.ts';
import { shellWord } from '../text/shell-word.ts';
import { ANY_PLACE, eligibility, NO_LIMITS, type WorkerOffer } from './eligibility.ts';
import { freeResources } from './resources.ts';

/** All that one run can use. */
export interface RunOffer {
  cpus: number;
  memory_bytes: number;
  gpus: number;
  max_parallel: number | null;
  labels: readonly string[];
}

/** The first job that could never run there, as an error; undefined if all could. */
export function findUnfitting(model: WorkflowModel, offer: RunOffer): HoldfastError | undefined {
  for (const { name, requirement } of model.jobs) {
    const refusal = refusalOf(name, model.requirements[requirement]!, offer);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Why the job could never run there, even if nothing else did; undefined if it could. */
export function refusalOf(job: string, requirement: Requirement, offer: RunOffer): HoldfastError | undefined {
  const worker: WorkerOffer = {
    worker_id: null,
    site: '',
    labels: offer.labels,
    time_left_ms: null,
    free: freeResources(offer),
  };
  const alone = { now: 0, ...ANY_PLACE, limits: { ...NO_LIMITS, named: limitsFor(requirement) }, others: [] };
  const answer = eligibility({ requirement, avoid: null }, worker, alone);
  if (answer.fits) return undefined;
  return answer.short.kind === 'labels'
    ? labelsMissing(job, answer.short.missing, offer.labels)
    : doesNotFit(job, requirement, offer);
}

/** All labels that jobs of the workflow ask for. */
export function labelsOf(model: WorkflowModel): string[] {
  return [...new Set(model.requirements.flatMap(({ labels }) => labels))];
}

/** Whether limits of the workflow allow a job was checked when its spec was read. */
function limitsFor({ resources }: Requirement): Map<string, number> {
  return new Map(Object.entries(resources));
}

function labelsMissing(job: string, missing: readonly string[], labels: readonly string[]): HoldfastError {
  return new HoldfastError('LABELS_MISSING', {
    job,
    needs: `the ${missing.length === 1 ? 'label' : 'labels'} ${missing.join(', ')}`,
    has: labels.length === 0 ? 'none' : `only ${labels.join(', ')}`,
    options: missing.map((label) => `--label ${shellWord(label)}`).join(' '),
  });
}

function doesNotFit(job: string, need: Requirement, offer: RunOffer): HoldfastError {
  return new HoldfastError('DOES_NOT_FIT', {
    job,
    needs: describe(need.cpus ?? 1, need.memory_bytes ?? 0, need.gpus),
    has: describe(offer.cpus, offer.memory_bytes, offer.gpus),
  });
}

function describe(cpus: number, memoryBytes: number, gpus: number): string {
  const parts = [`${cpus} CPUs`];
  if (memoryBytes > 0) parts.push(`${formatSize(memoryBytes)} of memory`);
  if (gpus > 0) parts.push(`${gpus} GPUs`);
  return parts.join(', ');
}
