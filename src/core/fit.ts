import { HoldfastError } from './errors.ts';
import { formatSize } from './quantity.ts';
import type { Requirement, WorkflowModel } from './workflow-model.ts';

/** All that one machine offers. */
export interface Offer {
  cpus: number;
  memoryBytes: number;
  gpus: number;
}

type Need = Pick<Requirement, 'cpus' | 'memoryBytes' | 'gpus'>;

/** The first job that could never run there, as an error; undefined if all could. */
export function findUnfitting(model: WorkflowModel, offer: Offer): HoldfastError | undefined {
  const job = model.jobs.find(({ requirement }) => !isFitting(model.requirements[requirement]!, offer));
  return job && doesNotFit(job.name, model.requirements[job.requirement]!, offer);
}

export function isFitting(need: Need, offer: Offer): boolean {
  return (
    (need.cpus ?? 0) <= offer.cpus && (need.memoryBytes ?? 0) <= offer.memoryBytes && need.gpus <= offer.gpus
  );
}

export function doesNotFit(job: string, need: Need, offer: Offer): HoldfastError {
  return new HoldfastError('DOES_NOT_FIT', {
    job,
    needs: describe(need.cpus ?? 1, need.memoryBytes ?? 0, need.gpus),
    has: describe(offer.cpus, offer.memoryBytes, offer.gpus),
  });
}

function describe(cpus: number, memoryBytes: number, gpus: number): string {
  const parts = [`${cpus} CPUs`];
  if (memoryBytes > 0) parts.push(`${formatSize(memoryBytes)} of memory`);
  if (gpus > 0) parts.push(`${gpus} GPUs`);
  return parts.join(', ');
}
