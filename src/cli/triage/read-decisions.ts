import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { ResolveAction, ResolveDecision } from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';
import { oneJob } from '../options/one-job.ts';

const ACTIONS: ResolveAction[] = ['retry', 'fail'];

interface Asked extends Pick<Invocation, 'options' | 'lists'> {
  /** Named before the action. */
  jobs: readonly string[];
}

/** What is said of every decision, besides the action. */
type Said = Omit<ResolveDecision, 'job_id' | 'action'>;

/** The decisions that the flags ask for; null if they ask for none. Nothing is changed here. */
export async function readDecisions(
  engine: Engine,
  workflowId: number,
  { jobs, options, lists }: Asked,
): Promise<ResolveDecision[] | null> {
  const asked = ACTIONS.filter((action) => options[action] === true || lists[action] !== undefined);
  if (asked.length === 0) {
    const idle = ['memory', 'runtime', 'reason', 'confidence'].find((key) => options[key] !== undefined);
    if (idle !== undefined) refuse(`--${idle}`, 'goes with --retry or --fail');
    if (jobs.length > 0) refuse(`job ${jobs[0]}`, 'add --retry or --fail');
    return null;
  }
  const said = readSaid(options, asked);
  const chosen = new Map<number, ResolveAction>();
  const forNamed = jobs.length > 0 ? actionForNamed(jobs, options, asked) : null;
  for (const action of asked) {
    for (const name of [...(action === forNamed ? jobs : []), ...(lists[action] ?? [])]) {
      const { id } = await oneJob(engine, workflowId, name);
      if ((chosen.get(id) ?? action) !== action) refuse(`job ${name}`, 'cannot be both retried and failed');
      chosen.set(id, action);
    }
  }
  const forGroup = asked.filter((action) => options[action] === true && action !== forNamed);
  const fingerprint = typeof options.fingerprint === 'string' ? options.fingerprint : undefined;
  if (fingerprint === undefined) {
    const [bare] = forGroup;
    if (bare !== undefined) refuse(`--${bare}`, 'name jobs, or those that fail alike with --fingerprint');
  } else {
    const [action, second] = forGroup;
    if (action === undefined) refuse('--fingerprint', 'goes with --retry or --fail without job names');
    if (second !== undefined) refuse('--fingerprint', 'its jobs cannot be both retried and failed');
    // Jobs that are named are decided about by name: all of these but that one.
    for (const id of await jobsAlike(engine, workflowId, fingerprint, action)) {
      if (!chosen.has(id)) chosen.set(id, action);
    }
  }
  return [...chosen].map(([job_id, action]) => ({ job_id, action, ...ofAction(said, action) }));
}

/** What is decided about jobs that are named before the actions: the one action that names no others. */
function actionForNamed(
  jobs: readonly string[],
  options: Invocation['options'],
  asked: readonly ResolveAction[],
): ResolveAction {
  const [action, second] = asked.filter((each) => options[each] === true);
  if (action === undefined || second !== undefined || options.fingerprint !== undefined) {
    refuse(`job ${jobs[0]}`, 'it is not clear what is decided about it; name it after --retry or --fail');
  }
  return action;
}

function readSaid(options: Invocation['options'], asked: readonly ResolveAction[]): Said {
  const said: Said = {};
  for (const key of ['memory', 'runtime', 'reason'] as const) {
    const value = options[key];
    if (typeof value === 'string') said[key] = value;
  }
  const resource = said.memory === undefined ? said.runtime && 'runtime' : 'memory';
  if (resource && !asked.includes('retry')) refuse(`--${resource}`, 'is for jobs that are retried');
  if (options.confidence !== undefined) {
    const text = String(options.confidence);
    said.confidence = /^(0|1|0?\.\d+|1\.0+|0\.0*)$/.test(text) ? Number(text) : Number.NaN;
    if (Number.isNaN(said.confidence)) refuse('--confidence', `must be from 0 to 1, not ${text}`);
  }
  return said;
}

/** More memory or time is nothing for a job that has failed. */
function ofAction({ memory, runtime, ...rest }: Said, action: ResolveAction): Said {
  if (action === 'fail') return rest;
  return { ...rest, ...(memory !== undefined && { memory }), ...(runtime !== undefined && { runtime }) };
}

/** Those that wait; if none does, those that were decided about in the same way, which the engine then says. */
async function jobsAlike(
  engine: Engine,
  workflowId: number,
  fingerprint: string,
  action: ResolveAction,
): Promise<number[]> {
  const waiting = await engine.listFailures(workflowId, { status: ['pending_failed'], fingerprint });
  const ids = waiting.flatMap(({ jobs }) => jobs.map(({ job_id }) => job_id));
  if (ids.length > 0) return ids;
  const { run_id } = await engine.getWorkflow(workflowId);
  const past = await allPages((page) =>
    engine.listDecisions({ ...page, workflow_id: workflowId, fingerprint }),
  );
  const decided = past.filter((each) => each.run_id === run_id && each.action === action);
  if (decided.length > 0) return [...new Set(decided.map(({ job_id }) => job_id))].sort((a, b) => a - b);
  return refuse(
    `--fingerprint ${fingerprint}`,
    `no job that fails like this waits for a decision; \`holdfast failures ${workflowId} --pending\` lists those that do`,
  );
}

function refuse(argument: string, problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
