import { drawGraph } from '../../../views/graph/drawn-graph.ts';
import { GRAPH_FORMATS, type GraphFormat } from '../../../views/graph/graph-formats.ts';
import type { JobGraph } from '../../../views/graph/job-graph.ts';
import type { View } from '../../terminal/view.ts';

/** `all`: each job by itself, however many there are. */
export interface ShownGraph {
  graph: JobGraph;
  format: GraphFormat;
  all: boolean;
}

export const graphView: View<ShownGraph> = {
  json: ({ graph: { name, jobs, sets } }) => ({
    name,
    jobs: jobs.map(({ set, ...job }) => ({
      name: job.name,
      status: job.status,
      depends_on: set === null ? [] : sets[set]!.map((index) => jobs[index]!.name),
    })),
  }),
  table: ({ graph, format, all }) => GRAPH_FORMATS[format](drawGraph(graph, all)),
  quiet: ({ graph }) => graph.jobs.map(({ name }) => name),
};
