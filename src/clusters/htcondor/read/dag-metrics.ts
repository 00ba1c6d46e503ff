import type { DagEnd } from '../../../contract/run-engine.ts';

/** What DAGMan leaves at the end of each run: `DAG.metrics`. */
export interface DagMetrics {
  exitCode: number;
  /** null: an old DAGMan does not say. */
  dagStatus: number | null;
  nodes: number;
  failed: number;
  succeeded: number;
  /** Number of the rescue file that the run began with; 0: with none. */
  rescue: number;
  /** What the queue called this DAGMan. */
  cluster: string | null;
  /** null: it is no DAG of another DAG. */
  parentCluster: string | null;
  startedAtMs: number | null;
  endedAtMs: number | null;
}

/** Versions 1 (`jobs_failed`, `dag_jobs_failed`) and 2 (`nodes_failed`). null: the text is no metrics file. */
export function readMetrics(text: string): DagMetrics | null {
  let value: Record<string, unknown>;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return null;
    value = parsed as Record<string, unknown>;
  } catch {
    return null;
  }
  const number = (key: string) => (typeof value[key] === 'number' ? (value[key] as number) : null);
  const sum = (suffix: string) =>
    number(`nodes${suffix}`) ?? (number(`jobs${suffix}`) ?? 0) + (number(`dag_jobs${suffix}`) ?? 0);
  const exitCode = number('exitcode') ?? number('exit_code');
  if (exitCode === null) return null;
  const id = (key: string) => (value[key] === undefined || value[key] === '' ? null : String(value[key]));
  const time = (key: string) => {
    const seconds = number(key);
    return seconds === null ? null : Math.round(seconds * 1000);
  };
  return {
    exitCode,
    dagStatus: number('DagStatus') ?? number('dag_status'),
    nodes: number('total_nodes') ?? number('nodes') ?? number('total_jobs') ?? 0,
    failed: sum('_failed'),
    succeeded: sum('_succeeded'),
    rescue: number('rescue_dag_number') ?? 0,
    cluster: id('dagman_id'),
    parentCluster: id('parent_dagman_id'),
    startedAtMs: time('start_time'),
    endedAtMs: time('end_time'),
  };
}

/** In this order: a FINAL node that succeeds gives exit code 0 although nodes failed, which DAGMan calls done. */
export function endOf(
  { exitCode, dagStatus, failed }: Pick<DagMetrics, 'exitCode' | 'dagStatus' | 'failed'>,
  hasRescue: boolean,
): DagEnd {
  const how = (): DagEnd['how'] => {
    if (exitCode === 0) return 'done';
    if (dagStatus === 4) return 'removed';
    if (dagStatus === 3) return 'aborted';
    if (dagStatus === 2) return 'failures';
    if (exitCode === 1 && failed === 0 && hasRescue && (dagStatus === 0 || dagStatus === null))
      return 'halted';
    return 'error';
  };
  return { how: how(), exitCode };
}
