import { HoldfastError } from '../../core/errors.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { drawGraph } from '../graph/drawn-graph.ts';
import { GRAPH_FORMATS, type GraphFormat } from '../graph/graph-formats.ts';
import { graphOfModel, graphOfWorkflow, type JobGraph } from '../graph/job-graph.ts';
import { isWorkflowId } from '../workflow-argument.ts';

export const graphCommand: Command = async (context, { args, options }) => {
  const format = parseFormat(options.format);
  const graph = await loadGraph(context, args[0]!);
  const { output } = context.settings;
  if (output === 'table') {
    context.print(GRAPH_FORMATS[format](drawGraph(graph, options.all === true)).join('\n'));
  } else if (output === 'quiet') {
    context.print(graph.jobs.map(({ name }) => name).join('\n'));
  } else {
    const jobs = graph.jobs.map(({ name, status, set }) => ({
      name,
      status,
      depends_on: set === null ? [] : graph.sets[set]!.map((index) => graph.jobs[index]!.name),
    }));
    context.print(JSON.stringify({ name: graph.name, jobs }, null, 2));
  }
  return 0;
};

async function loadGraph(context: CommandContext, target: string): Promise<JobGraph> {
  if (isWorkflowId(target)) return graphOfWorkflow(await context.openEngine(), Number(target));
  // A stored workflow is drawn without loading what reads specs.
  const { readSpec } = await import('../read-spec.ts');
  return graphOfModel(readSpec(target, context.origins).model);
}

function parseFormat(text: string | boolean | undefined): GraphFormat {
  if (text === undefined) return 'text';
  const formats = Object.keys(GRAPH_FORMATS) as GraphFormat[];
  const format = formats.find((each) => each === text);
  if (format !== undefined) return format;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: '--format',
    problem: `must be ${formats.join(', ')}, not ${text}${didYouMean(String(text), formats)}`,
  });
}
