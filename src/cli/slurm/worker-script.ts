import type { AllocationOrder } from '../../contract/allocator.ts';
import { shellWord } from '../../core/text/shell-word.ts';

/** How workers in allocations are started, and how they reach their server. */
export interface WorkerAccess {
  /** The program and its first words. */
  program: readonly string[];
  url: string;
  /** null: the server asks for none. */
  tokenFile: string | null;
  /** Settings of this process that its workers share. */
  flags: readonly string[];
  /** Where they keep their state, and checkpoints for whoever runs the next attempt. */
  stateDir: string;
}

/** The batch script of an allocation. */
export function workerScript(order: AllocationOrder, access: WorkerAccess): string {
  const command = workerCommand(order, access).map(shellWord).join(' ');
  const launcher = order.one_worker_per_node ? stepPerNode(order.scheduler.nodes) : '';
  return [
    '#!/bin/bash',
    `# A worker of Holdfast for workflow ${order.workflow_id}, scheduler ${order.scheduler.name}.`,
    `exec ${launcher}${command}`,
    '',
  ].join('\n');
}

function workerCommand(
  { tag, workflow_id, scheduler, max_parallel }: AllocationOrder,
  access: WorkerAccess,
): string[] {
  const { idle_ms, take_until_ms, end_before_ms, stays } = scheduler.worker;
  return [
    ...access.program,
    'worker',
    ...['--allocation', 'slurm', '--tag', tag],
    ...['--workflow', String(workflow_id), '--dir', access.stateDir, '--server', access.url],
    ...(access.tokenFile === null ? [] : ['--token-file', access.tokenFile]),
    ...['--label', `slurm:${scheduler.name}`],
    ...(max_parallel === null ? [] : ['--max-parallel', String(max_parallel)]),
    ...['--idle-timeout', time(idle_ms)],
    ...['--take-until', time(take_until_ms), '--end-before', time(end_before_ms)],
    ...(stays ? ['--stay'] : []),
    ...access.flags,
  ];
}

/**
 * One task on each node, with all of it: a worker that ends early or badly must take no other along. Its own jobs may be
 * steps too, which need a share of what it has.
 */
function stepPerNode(nodes: number): string {
  const options = [
    ...[`--nodes=${nodes}`, `--ntasks=${nodes}`, '--ntasks-per-node=1'],
    ...['--cpus-per-task="$SLURM_CPUS_ON_NODE"', '--mem=0', '--overlap'],
    ...['--wait=0', '--kill-on-bad-exit=0'],
  ];
  return `srun ${options.join(' ')} `;
}

/** Without rounding. */
function time(ms: number): string {
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`;
}
