import type { GraphGroup, WorkflowGraph } from '../../contract/records/overview.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import { JOB_STATUSES } from '../../core/job/job-status.ts';
import { namePattern } from '../../core/text/name-pattern.ts';
import {
  type GroupRow,
  listConfigsOf,
  listGroupCpus,
  listGroupEdges,
  listGroupRecoveries,
  listGroups,
  listGroupTimes,
} from '../../store/rows/jobs/group-rows.ts';
import { countByStatus, decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import type { WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { emptyCounts } from '../records/records.ts';

/** More of them cannot be looked at; a workflow whose names have no numbers can have as many as it has jobs. */
const MOST_GROUPS = 300;
const MOST_EDGES = 5_000;
/** Enough to measure by, and few enough to be read at any time. */
const RECENT_SUCCESSES = 2_000;

/** The jobs of a workflow in groups by name. */
export function* readGraph(workflow: WorkflowRow): Script<WorkflowGraph> {
  const rows = yield* listGroups(workflow.id, MOST_GROUPS);
  const positions = new Map(rows.map((row, index) => [keyOf(row), index]));
  const groups = rows.map(groupRecord);
  for (const { total_ms, successes, ...group } of yield* listGroupTimes(
    workflow.id,
    workflow.run_id,
    RECENT_SUCCESSES,
  )) {
    const position = positions.get(keyOf(group));
    if (position !== undefined) groups[position]!.mean_success_ms = total_ms / successes;
  }
  for (const { recovered, ...group } of yield* listGroupRecoveries(workflow.id, workflow.run_id)) {
    const position = positions.get(keyOf(group));
    if (position !== undefined) groups[position]!.recovered = recovered;
  }
  for (const { cpus, ...group } of yield* listGroupCpus(workflow.id)) {
    const position = positions.get(keyOf(group));
    if (position !== undefined) groups[position]!.cpus_in_use = cpus;
  }
  const labels = [...new Set(rows.map(({ label }) => label))];
  const edges = (yield* listGroupEdges(workflow.id, labels, MOST_EDGES)).flatMap((edge) => {
    const from = positions.get(keyOf({ label: edge.from_label, on_call: edge.from_on_call }));
    const to = positions.get(keyOf({ label: edge.to_label, on_call: edge.to_on_call }));
    return from === undefined || to === undefined ? [] : [{ from, to }];
  });
  const total = (yield* countByStatus(workflow.id)).reduce((sum, { count }) => sum + count, 0);
  const shown = rows.reduce((sum, { jobs }) => sum + jobs, 0);
  return {
    groups,
    edges: edges.sort((a, b) => a.from - b.from || a.to - b.to),
    routes: yield* routesOf(rows, positions),
    left_off: Math.max(0, total - shown),
  };
}

function keyOf({ label, on_call }: { label: string; on_call: number }): string {
  return `${on_call} ${label}`;
}

function groupRecord(row: GroupRow): GraphGroup {
  const counts = emptyCounts();
  for (const status of JOB_STATUSES) counts[status] = row[status];
  return {
    label: row.label,
    on_call: row.on_call === 1,
    jobs: row.jobs,
    counts,
    recovered: 0,
    cpus_in_use: 0,
    first_job_id: row.first_job_id,
    mean_success_ms: null,
  };
}

/** Jobs of a group come from one text, and so do their routes. */
function* routesOf(
  rows: readonly GroupRow[],
  positions: ReadonlyMap<string, number>,
): Script<WorkflowGraph['routes']> {
  const routes: WorkflowGraph['routes'] = [];
  const first = new Map(rows.map((row, index) => [row.first_job_id, index]));
  for (const { id, scope, config } of yield* listConfigsOf([...first.keys()])) {
    const { on_fail, on_success } = decodeConfig(config);
    const find = (name: string) =>
      [jobLabel({ name, scope }), name]
        .flatMap((label) => [`1 ${namePattern(label)}`, `0 ${namePattern(label)}`])
        .map((key) => positions.get(key))
        .find((position) => position !== undefined);
    for (const [key, written] of [
      ['on_fail', on_fail],
      ['on_success', on_success],
    ] as const) {
      const targets = [
        ...(written?.run ?? []).map((name) => ({ kind: 'run' as const, name })),
        ...(written?.goto ? [{ kind: 'goto' as const, name: written.goto }] : []),
      ];
      for (const { kind, name } of targets) {
        const to = find(name);
        if (to !== undefined) routes.push({ from: first.get(id)!, to, key, kind });
      }
    }
  }
  return routes.sort((a, b) => a.from - b.from || a.to - b.to);
}
