import type { CancelRequest, Engine, RetryJobsRequest } from '../../contract/engine.ts';
import type { RecoverRequest, ResolveDecision, ResolveRequest } from '../../contract/records/resolution.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { cancellationView } from '../texts/cancellation-text.ts';
import { hintCommand } from '../texts/parts/hint-command.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { recoveryView } from '../texts/recovery-text.ts';
import { resolvedLines } from '../texts/resolution-text.ts';
import { retryView } from '../texts/retry-text.ts';
import { type Action, isOfRequest, type JobAction, type Target, type TopPlan } from './plans.ts';
import { tryRequestAction } from './request-actions.ts';

/** Who acts, and how words are written. */
export interface ActionContext {
  actor: string;
  style: TextStyle;
  /** What `holdfast recover` would ask for without options. */
  recovery: RecoverRequest;
  /** No server is asked: what DAGMan runs is removed by the process that cancels it. */
  isLocal: boolean;
}

/** A request has no more decisions. */
const MOST_DECISIONS = 10_000;

/** Tries an action without changing anything. A text: there is nothing to do, and why. */
export async function tryAction(
  engine: Engine,
  action: Action,
  context: ActionContext,
): Promise<TopPlan | string> {
  if (isOfRequest(action)) return tryRequestAction(engine, action, context.actor);
  const { verb, target } = action;
  const workflow = target.kind === 'workflow' ? target.id : target.workflow;
  if (verb === 'recover') return planRecovery(engine, workflow, context);
  if (verb === 'cancel') return planCancel(engine, workflow, target, context);
  const waiting = await waitingJobs(engine, workflow, target);
  if (waiting.length > 0) return planDecisions(engine, workflow, waiting, action, context);
  if (verb === 'fail') return 'only a job that waits for a decision can be failed';
  if (action.memory !== undefined || action.runtime !== undefined)
    return 'only a job that waits for a decision can be given more for its retry; R recovers the others';
  return planRetry(engine, workflow, target, context);
}

/** Jobs of the target that wait for a decision. A whole workflow is decided about by its groups. */
async function waitingJobs(engine: Engine, workflow: number, target: Target): Promise<number[]> {
  if (target.kind === 'workflow') return [];
  if (target.kind === 'job') {
    const { id, status } = await engine.getJob(workflow, target.job);
    return status === 'pending_failed' ? [id] : [];
  }
  const groups = await engine.listFailures(workflow, {
    status: ['pending_failed'],
    fingerprint: target.group.fingerprint,
  });
  return groups.flatMap(({ jobs }) => jobs.map(({ job_id }) => job_id));
}

async function planDecisions(
  engine: Engine,
  workflow: number,
  waiting: readonly number[],
  { verb, memory, runtime }: JobAction,
  { actor, style }: ActionContext,
): Promise<TopPlan> {
  const decided = waiting.slice(0, MOST_DECISIONS);
  const decisions = decided.map(
    (job_id): ResolveDecision =>
      verb === 'fail'
        ? { job_id, action: 'fail' }
        : {
            job_id,
            action: 'retry',
            ...(memory !== undefined && { memory }),
            ...(runtime !== undefined && { runtime }),
          },
  );
  const request: ResolveRequest = { decisions, actor };
  const { jobs } = await engine.resolve(workflow, { ...request, dry_run: true });
  const of = waiting.length > decided.length ? ` of ${waiting.length}` : '';
  return {
    kind: 'resolve',
    workflow,
    request,
    question: `${verb === 'fail' ? 'Fail' : 'Retry'} ${jobsCounted(decided.length)}${of} waiting for a decision?`,
    words: resolvedLines(jobs, style),
  };
}

async function planRetry(
  engine: Engine,
  workflow: number,
  target: Target,
  { actor, style }: ActionContext,
): Promise<TopPlan | string> {
  const request: RetryJobsRequest = { ...retried(target), actor };
  const result = await engine.retryJobs(workflow, { ...request, dry_run: true });
  const [headline, ...words] = retryView.table({ workflow_id: workflow, ...result, next: null }, style);
  if (result.mode === 'nothing') return headline!;
  const [job] = result.jobs;
  const which = result.jobs.length === 1 ? `job ${job!.name}` : jobsCounted(result.jobs.length);
  const where = result.mode === 'new_run' ? 'in a new run' : `in run ${result.run_id}`;
  return { kind: 'retry', workflow, request, question: `Retry ${which} ${where}?`, words };
}

function retried(target: Target): Pick<RetryJobsRequest, 'jobs' | 'statuses' | 'fingerprint'> {
  if (target.kind === 'job') return { jobs: [target.job] };
  const statuses: RetryJobsRequest['statuses'] = ['failed', 'terminated'];
  return target.kind === 'workflow' ? { statuses } : { statuses, fingerprint: target.group.fingerprint };
}

async function planCancel(
  engine: Engine,
  workflow: number,
  target: Target,
  { actor, isLocal, style }: ActionContext,
): Promise<TopPlan | string> {
  if (isLocal && (await engine.getWorkflow(workflow)).executor === 'htcondor') {
    const command = hintCommand({ kind: 'cancel', workflow }, style);
    return `DAGMan runs this workflow: \`${command}\` cancels it and removes it from the queue`;
  }
  const chosen: Pick<CancelRequest, 'jobs' | 'fingerprint'> =
    target.kind === 'job'
      ? { jobs: [target.job] }
      : target.kind === 'group'
        ? { fingerprint: target.group.fingerprint }
        : {};
  const request: CancelRequest = { ...chosen, actor };
  const result = await engine.cancel(workflow, { ...request, dry_run: true });
  const words = cancellationView.table({ workflow_id: workflow, dry_run: true, ...result }, style);
  const count = result.canceled.length + result.stopping.length;
  if (count + result.actions.length === 0) return 'nothing is left to cancel';
  const what =
    target.kind === 'job'
      ? `job ${target.name}`
      : target.kind === 'workflow'
        ? `workflow ${workflow} ${target.name}: ${jobsCounted(count)}`
        : jobsCounted(count);
  if (target.kind !== 'workflow')
    words.push('jobs that depend on it are canceled too, unless they run anyway');
  return { kind: 'cancel', workflow, request, question: `Cancel ${what}?`, words };
}

async function planRecovery(
  engine: Engine,
  workflow: number,
  { recovery, style }: ActionContext,
): Promise<TopPlan | string> {
  const result = await engine.recover(workflow, { ...recovery, dry_run: true });
  const words = recoveryView.table(
    { workflowId: workflow, result, agent: null, wouldAsk: 0, next: null },
    style,
  );
  if (result.mode === 'nothing') return words[0]!;
  const question = `Recover workflow ${workflow}: try ${jobsCounted(result.retried.length)} again with more?`;
  return { kind: 'recover', workflow, request: recovery, question, words };
}
