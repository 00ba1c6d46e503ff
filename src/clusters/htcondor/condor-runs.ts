import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DagEnd, RunEngine, RunFiles, RunOrder, RunRef, RunView } from '../../contract/run-engine.ts';
import { inexpressibleJobs } from '../../core/dag/inexpressible.ts';
import { RUN_FILE, readRunFile } from '../../core/dag/run-file.ts';
import { HoldfastError } from '../../core/errors.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import type { DagSettings } from './export/dag-plan.ts';
import { planRoundDag, planWorkflowDag } from './export/plan-dag.ts';
import { renderDag, runFileText } from './export/render-dag.ts';
import { SITES_FILE, type SiteChoice, sitesText } from './export/sites-text.ts';
import { checkPlace, writeDag } from './export/write-dag.ts';
import type { EndedDag, HTCondorPool } from './pool.ts';
import { scheddRefused } from './pool-messages.ts';
import { readMetrics } from './read/dag-metrics.ts';
import { NewRecords } from './read/new-records.ts';
import { readDagRun, readText } from './read/read-dag-run.ts';

/** As configured; a request may choose otherwise. */
export interface CondorRunSettings extends Pick<DagSettings, 'hold_timeout_ms' | 'program' | 'submit_lines'> {
  /** Attribute of machines that names their site. */
  siteAttribute: string;
}

type Commands = Pick<HTCondorPool, 'submitDag' | 'findDag' | 'list' | 'history' | 'remove'>;

/** Runs of workflows as DAGs of a pool of HTCondor. */
export class CondorRuns implements RunEngine {
  readonly name = 'htcondor';
  readonly #pool: Commands;
  readonly #settings: CondorRunSettings;
  readonly #records = new NewRecords();

  constructor(pool: Commands, settings: CondorRunSettings) {
    this.#pool = pool;
    this.#settings = settings;
  }

  async prepare(order: RunOrder): Promise<void> {
    const { directory, dag, run } = order;
    if (!existsSync(directory)) this.#write(order);
    const file = readRunFile(readText(join(directory, RUN_FILE)) ?? '');
    if (file === null) {
      throw new HoldfastError('DAG_UNREADABLE', { directory, problem: `it has no ${RUN_FILE} of Holdfast` });
    }
    // Submit files name the attribute as it was when they were written.
    const sites = { ...order.sites, attribute: file.site_attribute };
    replaceFile(join(directory, SITES_FILE), sitesText(sites));
    replaceFile(join(directory, RUN_FILE), runFileText({ ...file, run }));
    // A halt would end the next run as well.
    rmSync(join(directory, `${dag}.halt`), { force: true });
    // From here on, metrics are those of this run: they show after a crash that it was submitted and has ended.
    const metrics = join(directory, `${dag}.metrics`);
    if (existsSync(metrics)) renameSync(metrics, `${metrics}.before-run-${run}`);
  }

  async submit(files: RunFiles): Promise<RunRef['id']> {
    return this.#pool.submitDag(files);
  }

  async find(files: RunFiles): Promise<string | null> {
    const queued = await this.#pool.findDag(files);
    if (queued !== null) return queued;
    return readMetrics(readText(join(files.directory, `${files.dag}.metrics`)) ?? '')?.cluster ?? null;
  }

  async look(refs: readonly RunRef[]): Promise<Map<RunRef, RunView>> {
    if (refs.length === 0) return new Map();
    try {
      const queued = await this.#pool.list(refs.map(({ id }) => id));
      const gone = refs.filter(({ id }) => !queued.has(id));
      const silent = gone.filter(({ directory, id, run }) => readDagRun(directory, id, run).ended === null);
      const history = silent.length === 0 ? new Map() : await this.#pool.history(silent.map(({ id }) => id));
      return new Map(
        refs.map((ref): [RunRef, RunView] => {
          const found = queued.get(ref.id);
          if (found === undefined) {
            this.#records.forget(ref);
            return [ref, endedView(ref, history.get(ref.id))];
          }
          const { state, why } = found;
          const attempts = this.#records.read(ref);
          const view = { ...NOTHING, why: why && `held: ${why}`, attempts };
          return [ref, { ...view, state: state === 'held' ? 'queued' : state }];
        }),
      );
    } catch (error) {
      if (!(error instanceof HoldfastError) || error.code !== 'CLUSTER_ABSENT') throw error;
      return new Map(refs.map((ref) => [ref, { ...NOTHING, state: 'unknown', why: error.message }]));
    }
  }

  async halt({ directory, dag }: RunRef): Promise<void> {
    writeFileSync(join(directory, `${dag}.halt`), '');
  }

  async continue({ directory, dag }: RunRef): Promise<void> {
    rmSync(join(directory, `${dag}.halt`), { force: true });
  }

  async stop({ id }: RunRef): Promise<void> {
    await this.#pool.remove([id]);
  }

  /** All of it or nothing: a crash leaves a directory of another name. */
  #write(order: RunOrder): void {
    const { directory, model, cwd, request, rulebook, settings, jobs, pool } = order;
    const { siteAttribute: _, ...own } = this.#settings;
    const input = {
      model,
      cwd,
      sites: this.#sites(order),
      settings: {
        ...own,
        hold_timeout_ms: pool.hold_timeout_ms ?? own.hold_timeout_ms,
        unless_exit_code: settings.unless_exit_code,
        abort_dag_code: settings.abort_dag_code,
        cooloff_base_sec: settings.cooloff_base_sec,
      },
    };
    const plan =
      request === null ? planWorkflowDag({ ...input, jobs }) : planRoundDag({ ...input, request, rulebook });
    const [refused] = inexpressibleJobs(model);
    if (refused !== undefined) {
      throw scheddRefused('condor_submit_dag', `DAGMan cannot do \`${refused.key}\`: ${refused.reason}`);
    }
    checkPlace(directory);
    const unfinished = `${directory}.unfinished`;
    rmSync(unfinished, { recursive: true, force: true });
    makeDirectory(dirname(directory));
    writeDag(unfinished, renderDag(plan));
    renameSync(unfinished, directory);
  }

  #sites({ sites, pool }: RunOrder): SiteChoice {
    return { attribute: pool.site_attribute ?? this.#settings.siteAttribute, ...sites };
  }
}

const NOTHING: Omit<RunView, 'state'> = { why: null, ended: null, units: [], attempts: [] };

function endedView({ directory, id, run }: RunRef, known: EndedDag | undefined): RunView {
  const { ended, units, attempts } = readDagRun(directory, id, run);
  const end = ended ?? (known === undefined ? CRASHED : endFromHistory(known));
  // Without metrics the reader does not know that the run is over; DAGMan calls it a success.
  const isDone = ended === null && end.how === 'done';
  return {
    state: 'ended',
    why: null,
    ended: end,
    units: isDone ? units.map((unit) => ({ ...unit, state: 'done', noEvidence: false })) : units,
    attempts,
  };
}

const CRASHED: DagEnd = { how: 'error', exitCode: null };

function endFromHistory({ removed, exitCode, dagStatus }: EndedDag): DagEnd {
  if (removed || dagStatus === 4) return { how: 'removed', exitCode };
  if (exitCode === 0) return { how: 'done', exitCode };
  if (exitCode === null) return CRASHED;
  return { how: dagStatus === 3 ? 'aborted' : dagStatus === 2 ? 'failures' : 'error', exitCode };
}

/** Readers see the old text or the new one. */
function replaceFile(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return;
  const next = `${path}.new`;
  writeFileSync(next, text, { mode: 0o644 });
  renameSync(next, path);
}
