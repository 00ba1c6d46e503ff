import type { Claim } from '../../contract/records/exchange.ts';

const MEBIBYTE = 1024 * 1024;

/** Where steps of an allocation are started. */
export interface StepPlace {
  /** What the cluster calls the node of this worker; null: not known. */
  node: string | null;
}

/**
 * The options of `srun` for an attempt that is to be a step; null: it is started directly. The worker keeps account of what is
 * free, so that steps may overlap and never wait for each other.
 */
export function stepOptions({ config, requirement, job_name }: Claim, { node }: StepPlace): string[] | null {
  const { step, timeout_ms } = config;
  if (step === null) return null;
  const { cpus, memory_bytes: memory, gpus } = requirement;
  const nodes = Math.max(1, requirement.nodes);
  return [
    `--job-name=${job_name}`,
    `--nodes=${nodes}`,
    `--ntasks=${nodes}`,
    ...(nodes === 1 && node !== null ? [`--nodelist=${node}`] : []),
    `--cpus-per-task=${Math.max(1, Math.ceil(cpus ?? 1))}`,
    // 0: as much as the allocation has.
    `--mem=${memory === null ? 0 : `${Math.ceil(memory / MEBIBYTE)}M`}`,
    ...(gpus > 0 ? [`--gpus-per-node=${gpus}`] : []),
    '--exact',
    '--overlap',
    '--wait=0',
    '--kill-on-bad-exit=0',
    '--export=ALL',
    ...(step.mpi === null ? [] : [`--mpi=${step.mpi}`]),
    ...(step.cpu_bind ? [] : ['--cpu-bind=none']),
    ...(step.signal === null ? [] : [`--signal=${step.signal}`]),
    // The signal comes so long before the end of the step, which is otherwise that of the allocation.
    ...(step.signal === null || timeout_ms === null ? [] : [`--time=${Math.ceil(timeout_ms / 60_000)}`]),
  ];
}
