import type { WorkflowGraph } from '../../../src/contract/records/overview.ts';
import { BOX } from './group-node.tsx';
import type { Layout } from './layered-layout.ts';

type Point = { x: number; y: number };

/** What waits for what, and routes as dashed lines. The boxes have it in words. */
export function GraphLines({
  layout,
  edges,
  routes,
  margin,
}: {
  layout: Layout;
  edges: WorkflowGraph['edges'];
  routes: WorkflowGraph['routes'];
  margin: number;
}) {
  return (
    <svg
      aria-hidden="true"
      className="pointer-events-none absolute inset-0 h-full w-full"
      fill="none"
      strokeWidth="1.5"
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path d="M0 0 8 4 0 8z" className="fill-waits" />
        </marker>
      </defs>
      <g transform={`translate(${margin} ${margin})`}>
        <g className="stroke-waits">
          {edges.map(({ from, to }, index) => {
            const line = layout.lines[index];
            return line ? <path key={`${from} ${to}`} d={curve(line)} markerEnd="url(#arrow)" /> : null;
          })}
        </g>
        <g className="stroke-asks" strokeDasharray="5 4">
          {routes.map(({ from, to, key, kind }) => (
            <path
              key={`${from} ${to} ${key} ${kind}`}
              d={routeCurve(layout.places[from]!, layout.places[to]!)}
            >
              <title>{`${key}: ${kind}`}</title>
            </path>
          ))}
        </g>
      </g>
    </svg>
  );
}

function curve([first, ...rest]: Point[]): string {
  let at = first!;
  let path = `M${at.x} ${at.y}`;
  for (const point of rest) {
    const middle = (at.x + point.x) / 2;
    path += ` C${middle} ${at.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    at = point;
  }
  return path;
}

/** From below one box to below the other, so that it is no line between columns. */
function routeCurve(from: Point, to: Point): string {
  const [startX, endX] = [from.x + BOX.width / 2, to.x + BOX.width / 2];
  const [startY, endY] = [from.y + BOX.height, to.y + BOX.height];
  const depth = 26;
  if (startX === endX && startY === endY) {
    return `M${startX - 16} ${startY} c0 ${depth} 32 ${depth} 32 0`;
  }
  return `M${startX} ${startY} C${startX} ${startY + depth} ${endX} ${endY + depth} ${endX} ${endY}`;
}
