import { hostname } from 'node:os';
import type { Engine } from '../../contract/engine.ts';
import type { RunSettings, WorkflowRecord } from '../../contract/records/records.ts';
import { shellWord } from '../../core/text/shell-word.ts';
import type { CommandContext } from '../command-context.ts';
import { SETTINGS, type Settings } from '../config/settings.ts';
import type { LocalWorker } from '../run/worker-options.ts';
import { userName } from './user-name.ts';

/** What a process that runs a workflow uses, and what of it comes from the run before. */
export interface RecalledRun {
  settings: Settings;
  offer: LocalWorker;
  /** What was given now and before, for the next one; null: nothing that is not known. */
  kept: RunSettings | null;
  /** Options of the run before, as they would be written. */
  recalled: string[];
}

type Remembered = Omit<RunSettings, 'host'>;

/**
 * Options that `run` was given before for the workflow on this machine hold until they are given anew. A time limit is
 * that of one occasion, and a configuration may have changed since: neither is remembered.
 */
export function recallSettings(
  { settings, origins }: Pick<CommandContext, 'settings' | 'origins'>,
  offer: LocalWorker,
  { run_settings: stored }: Pick<WorkflowRecord, 'run_settings'>,
): RecalledRun {
  const given = givenNow({ settings, origins }, offer);
  const { host, ...before }: RunSettings = stored?.host === hostname() ? stored : { host: hostname() };
  const kept = { host, ...before, ...given };
  const recalled = Object.fromEntries(
    Object.entries(before).filter(([key]) => !Object.hasOwn(given, key)),
  ) as Remembered;
  const isNew = Object.keys(given).length > 0 && JSON.stringify(kept) !== JSON.stringify(stored);
  return {
    settings: { ...settings, ...settingsIn(recalled) },
    offer: {
      ...offer,
      ...(recalled.labels !== undefined && { labels: recalled.labels }),
      ...(recalled.site !== undefined && { site: recalled.site }),
    },
    kept: isNew ? kept : null,
    recalled: optionsIn(recalled),
  };
}

/** The same for a process that is about to run it: remembers what is new, and says what holds from before. */
export async function useSettings(
  context: CommandContext,
  engine: Engine,
  workflow: WorkflowRecord,
  offer: LocalWorker,
): Promise<RecalledRun> {
  const run = recallSettings(context, offer, workflow);
  if (run.kept !== null) await engine.setRunSettings(workflow.id, { ...run.kept, actor: userName() });
  if (run.recalled.length > 0 && context.settings.output !== 'quiet') {
    context.narrate(`uses ${run.recalled.join(' ')}, as it was run before; options given anew replace them`);
  }
  return run;
}

function givenNow(
  { settings, origins }: Pick<CommandContext, 'settings' | 'origins'>,
  { labels, site }: LocalWorker,
): Remembered {
  const flags = new Set(origins.filter(({ origin }) => origin === 'flag').map(({ key }) => key));
  return {
    ...(flags.has('max_parallel') && { max_parallel: settings.max_parallel }),
    ...(flags.has('cpus') && { cpus: settings.cpus }),
    ...(flags.has('memory') && { memory_bytes: settings.memory }),
    ...(flags.has('gpus') && { gpus: settings.gpus }),
    ...(flags.has('keep_work') && { keep_work: settings.keep_work }),
    ...(flags.has('grace') && { grace_ms: settings.grace }),
    ...(labels.length > 0 && { labels }),
    ...(site !== null && { site }),
  };
}

function settingsIn({
  memory_bytes,
  grace_ms,
  labels: _,
  site: __,
  spec: ___,
  ...same
}: Remembered): Partial<Settings> {
  return {
    ...same,
    ...(memory_bytes !== undefined && { memory: memory_bytes }),
    ...(grace_ms !== undefined && { grace: grace_ms }),
  };
}

function optionsIn(remembered: Remembered): string[] {
  const { max_parallel, cpus, memory_bytes, gpus, keep_work, grace_ms, labels = [], site } = remembered;
  return [
    ...(max_parallel === undefined ? [] : [`-j ${SETTINGS.max_parallel.show(max_parallel)}`]),
    ...(cpus === undefined ? [] : [`--cpus ${cpus}`]),
    ...(memory_bytes === undefined ? [] : [`--memory ${SETTINGS.memory.show(memory_bytes)}`]),
    ...(gpus === undefined ? [] : [`--gpus ${gpus}`]),
    ...(keep_work === undefined ? [] : [`--keep-work ${keep_work}`]),
    ...(grace_ms === undefined ? [] : [`--grace ${SETTINGS.grace.show(grace_ms)}`]),
    ...labels.map((label) => `--label ${shellWord(label)}`),
    ...(site === undefined ? [] : [`--site ${shellWord(site)}`]),
  ];
}
