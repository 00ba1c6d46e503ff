import type { JobStatus } from '../../core/job/job-status.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { visibleText } from '../visible-text.ts';
import { type DrawnGraph, type DrawnNode, type DrawnRoute, nodeLabel } from './drawn-graph.ts';

const FILL: Partial<Record<JobStatus, string>> = {
  completed: '#c8e6c9',
  failed: '#ffcdd2',
  terminated: '#ffcdd2',
  canceled: '#ffe0b2',
  pending_failed: '#ffe0b2',
  running: '#b3e5fc',
};

/** Every format of `graph`, by the name it has on the command line. */
export const GRAPH_FORMATS = { mermaid, dot, text } satisfies Record<string, (graph: DrawnGraph) => string[]>;

export type GraphFormat = keyof typeof GRAPH_FORMATS;

function mermaid({ nodes, edges, anyOf, routes }: DrawnGraph): string[] {
  // Quotes and brackets have no escape in Mermaid other than entity codes.
  const label = (node: DrawnNode) =>
    visibleText(nodeLabel(node)).replace(/[#"<>&[\]{}|`\\]/g, (char) => `#${char.codePointAt(0)};`);
  const used = new Set(nodes.flatMap(({ status }) => (status !== null && FILL[status] ? [status] : [])));
  return [
    'flowchart TD',
    ...nodes.map((node, index) => (node.jobs === 0 ? `  n${index}((" "))` : `  n${index}["${label(node)}"]`)),
    ...edges.map(([from, to]) => `  n${from} --> n${to}`),
    ...anyOf.flatMap(({ from, to }) => from.map((each) => `  n${each} -->|one of| n${to}`)),
    ...routes.map((route) => `  n${route.from} -. ${routeLabel(route)} .-> n${route.to}`),
    ...[...used].map((status) => `  classDef ${status} fill:${FILL[status]}`),
    ...nodes.flatMap(({ status }, index) =>
      status !== null && FILL[status] ? [`  class n${index} ${status}`] : [],
    ),
  ];
}

function dot({ name, nodes, edges, anyOf, routes }: DrawnGraph): string[] {
  const quote = (value: string) => `"${visibleText(value).replace(/[\\"]/g, '\\$&')}"`;
  const shape = (node: DrawnNode) => {
    if (node.jobs === 0) return 'shape=point';
    const fill = node.status === null ? undefined : FILL[node.status];
    return `label=${quote(nodeLabel(node))}${fill ? `, style=filled, fillcolor="${fill}"` : ''}`;
  };
  return [
    `digraph ${quote(name)} {`,
    '  node [shape=box];',
    ...nodes.map((node, index) => `  n${index} [${shape(node)}];`),
    ...edges.map(([from, to]) => `  n${from} -> n${to};`),
    ...anyOf.flatMap(({ from, to }) => from.map((each) => `  n${each} -> n${to} [label="one of"];`)),
    ...routes.map(
      (route) =>
        `  n${route.from} -> n${route.to} [style=dashed, constraint=false, label="${routeLabel(route)}"];`,
    ),
    '}',
  ];
}

function routeLabel({ key, kind }: DrawnRoute): string {
  return `${key} ${kind}`;
}

/** Each node with what it waits for and where its routes lead, in the order of the spec. */
function text({ name, nodes, edges, anyOf, routes }: DrawnGraph): string[] {
  const before: number[][] = nodes.map(() => []);
  for (const [from, to] of edges) before[to]!.push(from);
  const choices: string[][] = nodes.map(() => []);
  for (const { from, to } of anyOf) {
    choices[to]!.push(from.map((each) => nodeLabel(nodes[each]!)).join(' | '));
  }
  // A junction is no job: the jobs behind it are named instead.
  const names = (node: number): string[] =>
    before[node]!.flatMap((each) =>
      nodes[each]!.jobs === 0 ? names(each) : [each === node ? 'each other' : nodeLabel(nodes[each]!)],
    );
  return [
    visibleText(name),
    ...nodes.flatMap((node, index) => {
      if (node.jobs === 0) return [];
      const status = node.status === null ? '' : ` [${shownStatus(node.status)}]`;
      const after = [...names(index), ...choices[index]!];
      const leads = routes
        .filter(({ from }) => from === index)
        .map((route) => `; ${routeLabel(route)} ${nodes[route.to]!.label}`)
        .join('');
      return [
        visibleText(
          `  ${nodeLabel(node)}${status}${after.length > 0 ? ` <- ${after.join(', ')}` : ''}${leads}`,
        ),
      ];
    }),
  ];
}
