import type { ServedEngine } from '../../contract/engine.ts';
import type { RequestRecord } from '../../contract/records/request.ts';
import { HoldfastError } from '../../core/errors.ts';
import { visibleText } from '../../views/visible-text.ts';
import { Launchers } from '../../worker/execute/launchers.ts';
import { RunWorker } from '../../worker/run-worker.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { notifyOf } from '../notify/run-notifier.ts';
import { userName } from '../options/user-name.ts';
import type { Progress } from '../progress/progress.ts';
import { startRequestProgress } from '../progress/request-progress.ts';
import { requestView } from '../texts/requests/request-text.ts';
import { Wakeups } from '../wakeups.ts';
import { finishOutputs } from './finish-outputs.ts';
import { REQUEST_EXIT, refOf } from './request-exit.ts';
import { type LocalWorker, workerOptions } from './worker-options.ts';

const INTERRUPTED = 130;
/** Where a worker is that names no site. */
const LOCAL_SITE = 'local';

/** Works off a request with a worker in this process, or by DAGMan. Ctrl-C is a clean stop. Returns the exit code. */
export async function driveRequest(
  context: CommandContext,
  engine: ServedEngine,
  request: RequestRecord,
  worker: LocalWorker,
): Promise<number> {
  if (request.executor === 'htcondor') {
    const { driveDagRequest } = await import('../htcondor/drive-dag-request.ts');
    return driveDagRequest(context, engine, request);
  }
  refuseForeignSite(request.request_name, request.sites, worker.site);
  const drive = new RequestDrive(context, engine, refOf(request), worker);
  const notifier = await notifyOf(context, engine, { request: request.request_name });
  const progress = await startRequestProgress(engine, refOf(request), context);
  const stopListening = onInterrupt((count) => drive.interrupt(count, progress));
  await noteBan(context, engine, request, worker.site ?? LOCAL_SITE, progress);
  let end: RequestRecord;
  try {
    end = await drive.run(progress);
    end = await drive.finishOutputs(end, progress);
  } finally {
    await progress.stop();
    stopListening();
  }
  context.show(requestView, { request: end });
  await notifier.finish();
  return drive.isStopped ? INTERRUPTED : (REQUEST_EXIT[end.status] ?? INTERRUPTED);
}

/** A worker here would never be given a job. */
export function refuseForeignSite(name: string, sites: readonly string[] | null, site: string | null): void {
  if (sites === null || (site !== null && sites.includes(site))) return;
  throw new HoldfastError('SITE_NOT_ALLOWED', {
    name,
    sites: sites.join(', '),
    site: site ?? LOCAL_SITE,
    first: sites[0] ?? '',
  });
}

/** A worker at a banned site waits until the ban is over. */
async function noteBan(
  context: CommandContext,
  engine: ServedEngine,
  request: RequestRecord,
  site: string,
  progress: Progress,
): Promise<void> {
  const { items } = await engine.listSites({ banned: true });
  const bans = items.find(({ name }) => name === site)?.bans ?? [];
  const ban = bans.find(({ request_name }) => request_name === null || request_name === refOf(request));
  if (ban === undefined) return;
  const unban = context.command('sites', 'unban', site);
  progress.note(
    `no job starts here: site ${site} is banned (${visibleText(ban.reason)}); ${unban} removes the ban`,
  );
}

class RequestDrive {
  /** The request was stopped, here or elsewhere. */
  isStopped = false;
  readonly #context: CommandContext;
  readonly #engine: ServedEngine;
  readonly #ref: string;
  readonly #offer: LocalWorker;
  readonly #following = new AbortController();
  #worker: RunWorker | null = null;
  #isFollowing = false;

  constructor(context: CommandContext, engine: ServedEngine, ref: string, offer: LocalWorker) {
    this.#context = context;
    this.#engine = engine;
    this.#ref = ref;
    this.#offer = offer;
  }

  /** The first Ctrl-C ends running jobs with grace, the second kills them. */
  interrupt(count: number, progress: Progress): void {
    this.isStopped = true;
    this.#following.abort();
    if (this.#isFollowing) return;
    if (count === 1) {
      this.#worker?.stop();
      progress.note('stopping; finished units are kept. Press Ctrl-C again to kill running jobs');
    } else {
      this.#worker?.kill();
      progress.note('killing the running jobs');
    }
  }

  /** What its rounds left to do for outputs, repeats of failed hooks included. */
  async finishOutputs(request: RequestRecord, progress: Progress): Promise<RequestRecord> {
    if (this.isStopped || request.output_errands.length === 0) return request;
    await finishOutputs(this.#context, this.#engine, this.#ref, {
      isPatient: true,
      signal: this.#following.signal,
      note: (line) => progress.note(line),
      working: (worker) => {
        this.#worker = worker;
      },
    });
    return this.#engine.getRequest(this.#ref);
  }

  async run(progress: Progress): Promise<RequestRecord> {
    const wakeups = new Wakeups(this.#engine, this.#following.signal);
    try {
      for (;;) {
        const request = await this.#engine.getRequest(this.#ref);
        if (REQUEST_EXIT[request.status] !== undefined) return request;
        const isOurs = request.status === 'ACTIVE' || request.status === 'STOPPING';
        if (this.isStopped && (this.#isFollowing || !isOurs)) return request;
        const done =
          request.status === 'ACTIVE'
            ? await this.#work(request, progress)
            : await this.#engine.tendRequests({ name: this.#ref });
        if (!done) await wakeups.next();
      }
    } finally {
      wakeups.stop();
    }
  }

  /** Drives the run of the open round. Returns false where another process does. */
  async #work(request: RequestRecord, progress: Progress): Promise<boolean> {
    const { workflow_id } = request.rounds.at(-1)!;
    if (this.isStopped) return this.#stop();
    const { workers } = await this.#engine.status(workflow_id);
    if (workers.some(({ alive }) => alive)) return this.#follow(progress);
    this.#isFollowing = false;
    const options = workerOptions(this.#context, workflow_id, this.#offer);
    const launchers = new Launchers(this.#context.stateDir);
    this.#worker = new RunWorker(this.#engine, options, launchers);
    const end = await this.#worker.run();
    this.#worker = null;
    if (end === 'follow') return this.#follow(progress);
    if (end === 'stopped') {
      if (this.isStopped) return this.#stop();
      this.isStopped = true;
    }
    return true;
  }

  #follow(progress: Progress): false {
    if (!this.#isFollowing) progress.note('another process works on it; Ctrl-C only stops following');
    this.#isFollowing = true;
    return false;
  }

  async #stop(): Promise<boolean> {
    try {
      await this.#engine.stopRequest(this.#ref, { actor: userName(), reason: 'interrupted' });
    } catch (error) {
      // It ended, or another process stopped it, at the same moment.
      if (!(error instanceof HoldfastError && error.code === 'REQUEST_STATE')) throw error;
    }
    return true;
  }
}
