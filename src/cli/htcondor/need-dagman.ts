import { HoldfastError } from '../../core/errors.ts';
import { isOnPath } from '../../host/is-on-path.ts';

/** Whether rounds can be submitted to DAGMan from here. */
export const hasDagman = (): boolean => isOnPath('condor_submit_dag');

/** Nothing of a request for DAGMan could run here. */
export function needDagman(): void {
  if (hasDagman()) return;
  throw new HoldfastError('CLUSTER_ABSENT', {
    command: 'condor_submit_dag',
    problem: 'it is not on PATH here, and `executor: htcondor` needs it',
  });
}
