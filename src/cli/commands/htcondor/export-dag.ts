import { resolve } from 'node:path';
import type { DagPlan, DagSettings } from '../../../clusters/htcondor/export/dag-plan.ts';
import { planRoundDag, planWorkflowDag } from '../../../clusters/htcondor/export/plan-dag.ts';
import { renderDag } from '../../../clusters/htcondor/export/render-dag.ts';
import type { SiteChoice } from '../../../clusters/htcondor/export/sites-text.ts';
import { checkPlace, writeDag } from '../../../clusters/htcondor/export/write-dag.ts';
import {
  ATTRIBUTE_NAME,
  NO_POOL_CHOICES,
  type PoolChoices,
  SHORTEST_HOLD_MS,
} from '../../../core/dag/pool-settings.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { DEFAULT_ERROR_SETTINGS, type ErrorSettings } from '../../../core/request/error-settings.ts';
import { planInventory, planRange } from '../../../core/request/plan-units.ts';
import { parseDuration } from '../../../core/text/quantity.ts';
import { dagProblems } from '../../../spec/dag/dag-problems.ts';
import { formatProblem } from '../../../spec/problem.ts';
import { readKind } from '../../../spec/read-kind.ts';
import { loadRequest } from '../../../spec/request/load-request.ts';
import { roundWorkflow } from '../../../spec/request/round-workflow.ts';
import type { CommandContext, Invocation } from '../../command-context.ts';
import { errorSettings } from '../../config/error-settings.ts';
import { POST_PROGRAM } from '../../htcondor/post-program.ts';
import { loadSpecText, readSpecText, refuseProblems, type SpecText, valid } from '../../read-spec.ts';
import { filesBeside } from '../../spec-files.ts';
import { exportedDagView } from '../../texts/spec/exported-dag-text.ts';

type Options = Invocation['options'];
type LoadedRequest = Extract<ReturnType<typeof loadRequest>, { ok: true }>;

/** Writes a spec as a directory that `condor_submit_dag` runs. Either all files are written, or none. */
export function exportDag(context: CommandContext, path: string, options: Options): void {
  const directory = options.outputDirectory;
  if (typeof directory !== 'string') throw invalid('-o', 'name the directory to write');
  checkPlace(directory);
  const spec = readSpecText(path);
  const plan =
    readKind(spec.text, spec.name) === 'request'
      ? roundPlan(context, path, spec, options)
      : workflowPlan(context, spec, options);
  const files = renderDag(plan);
  writeDag(directory, files);
  const nodes =
    plan.kind === 'round'
      ? plan.units.reduce((sum, { dag }) => sum + dag.nodes.length, 0)
      : plan.dag.nodes.length;
  context.show(exportedDagView, {
    directory,
    dag: plan.kind === 'round' ? 'round.dag' : 'workflow.dag',
    name: plan.name,
    units: plan.kind === 'round' ? plan.units.length : null,
    jobs: nodes,
    files: files.size,
  });
}

function workflowPlan(context: CommandContext, spec: SpecText, options: Options): DagPlan {
  const { model, warnings } = valid(loadSpecText(spec, context.origins));
  for (const warning of warnings) context.narrate(`warning: ${formatProblem(warning)}`);
  refuseProblems(dagProblems(spec, model));
  const settings = { ...DEFAULT_ERROR_SETTINGS, ...errorSettings(context.origins) };
  return planWorkflowDag({
    model,
    cwd: cwdOf(options),
    ...poolSettings(context, settings, NO_POOL_CHOICES, null, options),
  });
}

/** The first round of a request. */
function roundPlan(context: CommandContext, path: string, spec: SpecText, options: Options): DagPlan {
  const loaded = valid(loadRequest(spec.text, spec.name, filesBeside(path)));
  const { model: request } = loaded;
  for (const warning of loaded.warnings) context.narrate(`warning: ${formatProblem(warning)}`);
  const settings = { ...DEFAULT_ERROR_SETTINGS, ...errorSettings(context.origins), ...request.errors };
  const { model } = roundWorkflow({
    model: request,
    settings,
    overrides: {},
    version: 1,
    round: 1,
    firstUnit: 1,
    units: firstUnits(loaded, unitLimit(options) ?? request.round.first_units),
    cwd: cwdOf(options),
    output_dir: resolve(context.settings.output_dir),
  });
  refuseProblems(dagProblems(spec, model));
  return planRoundDag({
    model,
    cwd: cwdOf(options),
    ...poolSettings(context, settings, request.htcondor, request.sites, options),
    request: { name: request.name, version: 1, round: 1 },
    rulebook: request.rulebook,
  });
}

function firstUnits({ model, items }: LoadedRequest, most: number) {
  const { work, jobs_per_unit: jobs } = model;
  if (work.kind === 'range') {
    return planRange(work, { cursor: work.first, delivered: 0n }, jobs, most).units;
  }
  const fresh = (items ?? []).map(({ path, group }, index) => ({ id: index + 1, path, group }));
  return planInventory({ fresh, attempted: [] }, work.per_job, jobs, most);
}

/** An option overrides the spec, the spec the configuration. */
function poolSettings(
  { settings: configured }: CommandContext,
  settings: ErrorSettings,
  chosen: PoolChoices,
  allowed: string[] | null,
  options: Options,
): { settings: DagSettings; sites: SiteChoice } {
  const attribute = attributeOption(options) ?? chosen.site_attribute ?? configured.site_attribute;
  return {
    settings: {
      unless_exit_code: settings.unless_exit_code,
      abort_dag_code: settings.abort_dag_code,
      cooloff_base_sec: settings.cooloff_base_sec,
      hold_timeout_ms: holdOption(options) ?? chosen.hold_timeout_ms ?? configured.hold_timeout,
      program: [process.execPath, POST_PROGRAM],
      submit_lines: [],
    },
    sites: { attribute, allowed, banned: [] },
  };
}

function holdOption({ holdTimeout: written }: Options): number | null {
  if (written === undefined) return null;
  const milliseconds = typeof written === 'string' ? parseDuration(written, 1000) : undefined;
  if (milliseconds === undefined || milliseconds < SHORTEST_HOLD_MS) {
    throw invalid('--hold-timeout', 'must be a duration of a second or more, such as 10m');
  }
  return milliseconds;
}

function unitLimit({ units }: Options): number | null {
  if (units === undefined) return null;
  const count = Number(units);
  if (!Number.isInteger(count) || count < 1) throw invalid('--units', 'must be a whole number from 1 on');
  return count;
}

function attributeOption({ siteAttribute }: Options): string | null {
  if (siteAttribute === undefined) return null;
  if (typeof siteAttribute === 'string' && ATTRIBUTE_NAME.test(siteAttribute)) return siteAttribute;
  throw invalid('--site-attribute', 'must be the name of an attribute of machines');
}

const cwdOf = ({ cwd }: Options): string => resolve(typeof cwd === 'string' ? cwd : '.');

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
