import type { AllocationWorker, SchedulerModel } from '../../core/allocation/scheduler.ts';
import {
  formatSlurmMemory,
  formatWalltime,
  gpuCount,
  gpusOfGres,
  parseSlurmMemory,
  parseWalltime,
} from '../../core/allocation/slurm-quantity.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import type { SlurmSchedulerSpec } from '../schema/slurm-schema.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { allocationWorker } from './allocation-worker.ts';
import { nodeOffer } from './node-offer.ts';
import { optionName, readExtra, reservedOption } from './sbatch-options.ts';

/** An option of `sbatch`, and where it was written. */
interface Given {
  value: string | null;
  path: SpecPath;
}
type Options = Map<string, Given>;

/** Options of which a request has one at most: where a scheduler has one, the others of the defaults do not count. */
const RIVALS = [['mem', 'mem-per-cpu', 'mem-per-gpu']] as const;

/** Keys of a scheduler that are options of `sbatch`. */
const OWN_OPTIONS = {
  account: 'account',
  partition: 'partition',
  nodes: 'nodes',
  walltime: 'time',
  gres: 'gres',
  mem: 'mem',
  qos: 'qos',
  tmp: 'tmp',
  ntasks_per_node: 'ntasks-per-node',
} as const satisfies Partial<Record<keyof SlurmSchedulerSpec, string>>;

/** What a workflow asks a cluster for. */
export function normaliseSchedulers(spec: WorkflowSpec, findings: Findings): SchedulerModel[] {
  const defaults = defaultOptions(spec.slurm_defaults ?? {}, findings);
  const worker = allocationWorker(spec);
  return (spec.slurm_schedulers ?? []).map((scheduler, index) =>
    schedulerModel(scheduler, ['slurm_schedulers', index], defaults, worker, findings),
  );
}

function schedulerModel(
  scheduler: SlurmSchedulerSpec,
  path: SpecPath,
  defaults: Options,
  worker: AllocationWorker,
  findings: Findings,
): SchedulerModel {
  const own = ownOptions(scheduler, path);
  const extra = readExtra(scheduler.extra ?? '');
  for (const problem of extra.problems) findings.error([...path, 'extra'], problem);
  const more: Options = new Map();
  for (const { name, value } of extra.options) {
    const at = [...path, 'extra'];
    if (own.has(name)) findings.error(at, `--${name} is given here and as a key of the scheduler`);
    else more.set(name, { value, path: at });
  }
  const options = new Map([...withoutRivals(defaults, own, more), ...own]);
  const walltimeMs = readWalltime(options.get('time'), findings);
  if (walltimeMs !== null && walltimeMs <= worker.take_until_ms) {
    findings.warn(
      options.get('time')!.path,
      `takes no jobs: workers take none in the last ${formatDuration(worker.take_until_ms)} of an allocation; make it longer, or lower \`compute_node_min_time_for_new_jobs_seconds\``,
    );
  }
  const nodes = readNodes(options.get('nodes'), findings);
  for (const given of [options, more]) checkAmounts(given, findings);

  options.set('nodes', { value: String(nodes), path });
  const time = options.get('time');
  if (time !== undefined) {
    const text = walltimeMs === null ? 'UNLIMITED' : formatWalltime(walltimeMs);
    options.set('time', { ...time, value: text });
  }
  const known = new Map([...options, ...more].map(([name, { value }]) => [name, value]));
  return {
    name: scheduler.name,
    options: Object.fromEntries([...options].map(([name, { value }]) => [name, value])),
    extra: [...more].map(([name, { value }]) => (value === null ? `--${name}` : `--${name}=${value}`)),
    nodes,
    walltime_ms: walltimeMs,
    ...nodeOffer(known, nodes),
    serialize: scheduler.serialize_allocations ?? false,
    worker,
  };
}

function defaultOptions(written: Record<string, string | number | boolean>, findings: Findings): Options {
  const options: Options = new Map();
  for (const [key, value] of Object.entries(written)) {
    const path = ['slurm_defaults', key];
    const name = optionName(key);
    const reason = reservedOption(name);
    if (!/^[a-z][a-z0-9-]*$/.test(name)) findings.error(path, `"${key}" is not an option of \`sbatch\``);
    else if (reason !== undefined) findings.error(path, `\`${key}\` cannot be given: ${reason}`);
    else if (options.has(name)) findings.error(path, `--${name} is given twice`);
    else if (value !== false) options.set(name, { value: value === true ? null : String(value), path });
  }
  return options;
}

function ownOptions(scheduler: SlurmSchedulerSpec, path: SpecPath): Options {
  const options: Options = new Map();
  for (const [key, name] of Object.entries(OWN_OPTIONS)) {
    const value = scheduler[key as keyof typeof OWN_OPTIONS];
    if (value !== undefined) options.set(name, { value: String(value), path: [...path, key] });
  }
  return options;
}

/** Defaults that a scheduler does not say otherwise. */
function withoutRivals(defaults: Options, own: Options, more: Options): Options {
  const says = (name: string) => own.has(name) || more.has(name);
  const replaced = (name: string) =>
    says(name) ||
    RIVALS.some((group) => (group as readonly string[]).includes(name) && group.some((each) => says(each)));
  return new Map([...defaults].filter(([name]) => !replaced(name)));
}

/** null: without limit, or the default of the partition. */
function readWalltime(given: Given | undefined, findings: Findings): number | null {
  if (given === undefined) return null;
  const ms = parseWalltime(given.value ?? '');
  if (ms === undefined) {
    findings.error(
      given.path,
      `"${given.value ?? ''}" is not a time limit; write minutes, HH:MM:SS, D-HH:MM:SS, UNLIMITED, or a duration such as 4h`,
    );
  } else if (ms === 0) {
    findings.error(given.path, 'must be longer than 0; write UNLIMITED for no limit');
  }
  return ms ?? null;
}

function readNodes(given: Given | undefined, findings: Findings): number {
  if (given === undefined) return 1;
  if (/^[1-9]\d{0,5}$/.test(given.value ?? '')) return Number(given.value);
  findings.error(given.path, `"${given.value ?? ''}" is not a whole number of nodes above 0`);
  return 1;
}

/** Amounts that Holdfast counts with. Memory is written as Slurm reads it. */
function checkAmounts(options: Options, findings: Findings): void {
  for (const name of ['mem', 'mem-per-cpu', 'mem-per-gpu', 'tmp']) {
    const given = options.get(name);
    if (given === undefined) continue;
    const bytes = parseSlurmMemory(given.value ?? '');
    if (bytes === undefined)
      findings.error(given.path, `"${given.value ?? ''}" is not a size; write 64G, or a number of megabytes`);
    else if (bytes === 0) options.set(name, { ...given, value: '0' });
    else options.set(name, { ...given, value: formatSlurmMemory(bytes) });
  }
  const gres = options.get('gres');
  if (gres !== undefined && gpusOfGres(gres.value ?? '') === undefined)
    findings.error(gres.path, `"${gres.value ?? ''}" is not a list of resources; write gpu:2 or gpu:a100:2`);
  const gpus = options.get('gpus-per-node');
  if (gpus !== undefined && gpuCount(gpus.value ?? '') === undefined)
    findings.error(gpus.path, `"${gpus.value ?? ''}" is not a number of GPUs; write 2 or a100:2`);
}
