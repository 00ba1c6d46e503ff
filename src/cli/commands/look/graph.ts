import { allPages } from '../../../contract/all-pages.ts';
import type { Engine } from '../../../contract/engine.ts';
import type { JobDetails } from '../../../contract/records/records.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import { GRAPH_FORMATS, type GraphFormat } from '../../../views/graph/graph-formats.ts';
import { graphOfModel, graphOfRecords, type JobGraph } from '../../../views/graph/job-graph.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { isWorkflowId } from '../../options/workflow-argument.ts';
import { graphView } from '../../texts/spec/graph-text.ts';

export const graphCommand: Command = async (context, { args, options }) => {
  const format = parseFormat(options.format);
  const graph = await loadGraph(context, args[0]!);
  context.show(graphView, { graph, format, all: options.all === true });
  return 0;
};

async function loadGraph(context: CommandContext, target: string): Promise<JobGraph> {
  if (isWorkflowId(target)) return graphOfWorkflow(await context.openEngine(), Number(target));
  // A stored workflow is drawn without loading what reads specs.
  const { readSpec } = await import('../../read-spec.ts');
  return graphOfModel(readSpec(target, context.origins).model);
}

async function graphOfWorkflow(engine: Engine, workflowId: number): Promise<JobGraph> {
  const { name } = await engine.getWorkflow(workflowId);
  const records = await allPages((page) => engine.listJobs(workflowId, page));
  const jobs: JobDetails[] = [];
  for (const { id } of records) jobs.push(await engine.getJob(workflowId, id));
  return graphOfRecords(name, jobs);
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
