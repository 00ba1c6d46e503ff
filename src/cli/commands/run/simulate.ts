import { parseDuration } from '../../../core/text/quantity.ts';
import { invalidOption } from '../../../simulate/invalid-option.ts';
import { readKind } from '../../../spec/read-kind.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { routingFlags } from '../../options/routing-flags.ts';
import { settingsOption } from '../../options/set-option.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { loadSpecText, readSpecText, type SpecText, valid } from '../../read-spec.ts';
import { requestSimulationView } from '../../texts/spec/request-simulation-text.ts';
import { simulationView } from '../../texts/spec/simulation-text.ts';
import { workflowSimulationView } from '../../texts/spec/workflow-simulation-text.ts';

const DEFAULT_DURATION = '1m';
const DEFAULT_ROUNDS = 20;
const DEFAULT_SITE = 'local';

/** Plays one job, a whole workflow or a request with given outcomes. Nothing is run or stored. */
export const simulateCommand: Command = async (context, invocation) => {
  const path = invocation.args[0]!;
  const spec = readSpecText(path, settingsOption(invocation));
  const { duration = DEFAULT_DURATION } = invocation.options;
  const durationMs = parseDuration(String(duration), 1000);
  if (durationMs === undefined)
    invalidOption('--duration', `must be a duration such as 30s, not ${duration}`);
  if (readKind(spec.text, spec.name) === 'request')
    return playRequest(context, path, spec, invocation, durationMs);
  await playWorkflow(context, spec, invocation, durationMs);
  return 0;
};

async function playWorkflow(
  context: CommandContext,
  spec: SpecText,
  invocation: Invocation,
  durationMs: number,
): Promise<void> {
  const { options, lists } = invocation;
  refuse(invocation, ['release', 'maxRounds', 'sites'], 'only for a request');
  const model = routingFlags({ context: options.context })(valid(loadSpecText(spec, context.origins)).model);
  const { outcome: outcomes = [], stepOutput: outputs = [] } = lists;
  if (options.job !== undefined || options.outcomes !== undefined) {
    if (outcomes.length + outputs.length > 0)
      invalidOption('--outcome', 'plays the whole workflow; --job and --outcomes play one job');
    const { simulateJob } = await import('../../../simulate/simulate-job.ts');
    context.show(simulationView, await simulateJob(model, options, durationMs));
    return;
  }
  const { GivenCourse } = await import('../../../simulate/given-course.ts');
  const { simulateWorkflow } = await import('../../../simulate/simulate-workflow.ts');
  const course = new GivenCourse(model, { outcomes, outputs }, durationMs);
  context.show(workflowSimulationView, await simulateWorkflow(model, course));
}

/** Returns what `run` would exit with; 0 if the request did not come to an end. */
async function playRequest(
  context: CommandContext,
  path: string,
  spec: SpecText,
  invocation: Invocation,
  durationMs: number,
): Promise<number> {
  const { options, lists } = invocation;
  refuse(invocation, ['job', 'outcomes', 'stepOutput', 'context'], 'only for a workflow');
  const { newRequest } = await import('../../run/new-request.ts');
  const { RequestCourse } = await import('../../../simulate/request-course.ts');
  const { simulateRequest } = await import('../../../simulate/simulate-request.ts');
  const request = newRequest({ ...context, server: null }, path, spec, {});
  const sites = sitesOf(options.sites, request.model.sites);
  const course = new RequestCourse(request, { outcomes: lists.outcome ?? [], sites }, durationMs);
  const simulation = await simulateRequest(request, course, {
    sites,
    releases: lists.release?.length ?? 0,
    maxRounds: wholeNumberOption('--max-rounds', options.maxRounds) ?? DEFAULT_ROUNDS,
  });
  context.show(requestSimulationView, simulation);
  return simulation.exit_code ?? 0;
}

/** Those that are named; else those of the spec, or one. */
function sitesOf(written: string | boolean | undefined, allowed: readonly string[] | null): string[] {
  if (written === undefined) return [...(allowed ?? [DEFAULT_SITE])];
  const sites = [...new Set(String(written).split(','))].map((site) => site.trim());
  for (const site of sites) {
    if (site === '') invalidOption('--sites', 'write names separated by commas, such as north,south');
    if (allowed !== null && !allowed.includes(site)) {
      const near = didYouMean(site, allowed);
      invalidOption(
        '--sites',
        `the request does not run at ${site}${near}; its sites are ${allowed.join(', ')}`,
      );
    }
  }
  return sites;
}

function refuse({ options, lists }: Invocation, flags: readonly string[], why: string): void {
  for (const flag of flags) {
    if (options[flag] === undefined && lists[flag] === undefined) continue;
    invalidOption(`--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`, why);
  }
}
