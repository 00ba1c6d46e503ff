import { formatDuration } from '../../../core/text/quantity.ts';
import { shortTime } from '../../terminal/local-time.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';

/** One way to ask for the nodes of a scheduler, and when it would start. */
export interface PlannedShape {
  scheduler: string;
  label: string;
  allocations: number;
  nodes: number;
  /** Of the first allocation; null: the cluster would refuse it. */
  starts_at_ms: number | null;
  problem: string | null;
}

/** Starts closer together than this are the same: the cluster plans again every few minutes. */
const SAME_MS = 5 * 60_000;

export const plannedShapesView: View<PlannedShape[]> = {
  json: (shapes) => ({
    shapes,
    recommended: [...bySchedulers(shapes)].map(([name, own]) => recommend(name, own)),
  }),
  rows: (shapes) => shapes,
  table: (shapes, style) => [
    ...shapesTable(shapes, style),
    '',
    ...[...bySchedulers(shapes)].map(([name, own]) => recommend(name, own).text),
  ],
  quiet: (shapes) => [...bySchedulers(shapes)].map(([name, own]) => recommend(name, own).label ?? name),
};

function shapesTable(shapes: PlannedShape[], style: TextStyle): string[] {
  const columns: Column<PlannedShape>[] = [
    { title: 'SCHEDULER', value: ({ scheduler }) => scheduler },
    { title: 'SHAPE', value: ({ label }) => label },
    { title: 'ALLOCATIONS', value: ({ allocations }) => allocations, align: 'right' },
    { title: 'NODES EACH', value: ({ nodes }) => nodes, align: 'right' },
    {
      title: 'ESTIMATED START',
      value: ({ starts_at_ms, problem }) =>
        starts_at_ms === null ? problem : startText(starts_at_ms, style.now),
      style: ({ problem }) => (problem === null ? undefined : 'red'),
      shrink: 'end',
    },
  ];
  return listTable(columns, shapes, style, 'no schedulers');
}

function startText(ms: number, now: number): string {
  return ms - now < 60_000 ? 'at once' : `${shortTime(ms, now)} (in ${formatDuration(ms - now)})`;
}

function bySchedulers(shapes: PlannedShape[]): Map<string, PlannedShape[]> {
  const groups = new Map<string, PlannedShape[]>();
  for (const shape of shapes) groups.set(shape.scheduler, [...(groups.get(shape.scheduler) ?? []), shape]);
  return groups;
}

function recommend(
  scheduler: string,
  shapes: PlannedShape[],
): { scheduler: string; label: string | null; text: string } {
  const [written] = shapes;
  const possible = shapes.filter(({ starts_at_ms }) => starts_at_ms !== null);
  const best = possible.toSorted((a, b) => a.starts_at_ms! - b.starts_at_ms!)[0];
  if (best === undefined) {
    return { scheduler, label: null, text: `${scheduler}: the cluster would refuse it: ${written!.problem}` };
  }
  const own = written!.starts_at_ms;
  if (own !== null && own - best.starts_at_ms! < SAME_MS) {
    const alone = shapes.length === 1 ? 'there is no other way to ask for it' : 'nothing starts sooner';
    return { scheduler, label: written!.label, text: `${scheduler}: leave it as it is; ${alone}` };
  }
  const sooner =
    own === null
      ? 'the cluster takes only this'
      : `starts ${formatDuration(own - best.starts_at_ms!)} sooner`;
  return {
    scheduler,
    label: best.label,
    text: `${scheduler}: write nodes: ${best.nodes} and num_allocations: ${best.allocations}${best.nodes > 1 ? ' and start_one_worker_per_node: true' : ''}; ${sooner}`,
  };
}
