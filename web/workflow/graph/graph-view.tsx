import { useMemo, useState } from 'react';
import type { WorkflowGraph } from '../../../src/contract/records/overview.ts';
import { setQuery, usePlace } from '../../app/router.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/notice.tsx';
import { Empty, Loading } from '../../parts/section.tsx';
import { counted } from '../../parts/words.ts';
import { GraphLines } from './graph-lines.tsx';
import { GroupJobs } from './group-jobs.tsx';
import { BOX, GroupNode } from './group-node.tsx';
import { useGraph } from './use-graph.ts';
import { useLayout } from './use-layout.ts';

const ZOOMS = [0.4, 0.6, 0.8, 1, 1.25];
const MARGIN = 16;

/** The workflow as boxes, one for all jobs whose names differ in numbers only. */
export function GraphView({ workflow }: { workflow: number }) {
  const { graph, error } = useGraph(workflow);
  if (error !== null && graph === null) return <Problem error={error} />;
  if (graph === null) return <Loading />;
  if (graph.groups.length === 0) return <Empty>This workflow has no jobs.</Empty>;
  return <Drawing workflow={workflow} graph={graph} />;
}

function Drawing({ workflow, graph }: { workflow: number; graph: WorkflowGraph }) {
  const { groups, edges, routes, left_off } = graph;
  const { query } = usePlace();
  const [zoom, setZoom] = useState(() => (groups.length > 40 ? 1 : 3));
  const layout = useLayout({ nodes: groups.length, edges, box: BOX });
  const waitsFor = useMemo(() => {
    const found: string[][] = groups.map(() => []);
    for (const { from, to } of edges) found[to]!.push(from === to ? 'each other' : groups[from]!.label);
    return found;
  }, [groups, edges]);
  const chosen = groups.find(({ label, jobs }) => jobs > 1 && label === query.get('group')) ?? null;
  const scale = ZOOMS[zoom]!;
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <p className="text-sm text-quiet">
          {counted(groups.length, 'group')} of jobs. A box stands for jobs whose names differ in numbers only.
          {left_off > 0 &&
            ` ${counted(left_off, 'job')} in other groups ${left_off === 1 ? 'is' : 'are'} not shown.`}
        </p>
        <div className="flex items-center gap-1.5">
          <Button aria-label="Smaller" disabled={zoom === 0} onClick={() => setZoom(zoom - 1)}>
            −
          </Button>
          <span className="w-14 text-center text-sm text-quiet tabular-nums" role="status">
            {Math.round(scale * 100)} %
          </span>
          <Button aria-label="Larger" disabled={zoom === ZOOMS.length - 1} onClick={() => setZoom(zoom + 1)}>
            +
          </Button>
        </div>
      </div>
      {layout === null || layout.places.length !== groups.length ? (
        <Loading />
      ) : (
        <section
          aria-label="Graph"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that
          tabIndex={0}
          className="max-h-[70dvh] overflow-auto rounded-lg border border-line bg-card"
        >
          <div
            className="relative mx-auto"
            style={{
              width: (layout.width + 2 * MARGIN) * scale,
              height: (layout.height + 2 * MARGIN) * scale,
            }}
          >
            <div
              className="absolute top-0 left-0 origin-top-left"
              style={{
                width: layout.width + 2 * MARGIN,
                height: layout.height + 2 * MARGIN,
                transform: `scale(${scale})`,
              }}
            >
              <GraphLines layout={layout} edges={edges} routes={routes} margin={MARGIN} />
              <ol aria-label="Groups of jobs">
                {groups.map((group, index) => {
                  const { x, y } = layout.places[index]!;
                  return (
                    <li
                      key={`${group.on_call} ${group.label}`}
                      className="absolute"
                      style={{ left: x + MARGIN, top: y + MARGIN, ...BOX }}
                    >
                      <GroupNode
                        workflow={workflow}
                        group={group}
                        waitsFor={waitsFor[index]!}
                        isOpen={group === chosen}
                        onToggle={() => setQuery({ group: group === chosen ? '' : group.label, in: '' })}
                      />
                    </li>
                  );
                })}
              </ol>
            </div>
          </div>
        </section>
      )}
      {routes.length > 0 && (
        <p className="text-xs text-quiet">
          Dashed lines are routes: what runs, or is run again, after a job.
        </p>
      )}
      {chosen !== null && <GroupJobs key={chosen.label} workflow={workflow} group={chosen} />}
    </div>
  );
}
