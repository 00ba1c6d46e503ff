import type { BodyOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { NewWorkflow, SpecSource, SubmittedUpdate } from '../../contract/engine.ts';
import type { WorkflowExecutor } from '../../core/allocation/executor.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import type { RetryPolicy } from '../../core/policy/retry-policy.ts';
import { overrideRouting } from '../../core/policy/routing-overrides.ts';
import { type GroupPolicy, groupProblems } from '../../spec/check/group-policy.ts';
import { dagProblems } from '../../spec/dag/dag-problems.ts';
import { type LoadResult, loadSpec } from '../../spec/load-spec.ts';
import { type NotifyPolicy, notifyProblems } from '../../spec/notify/notify-policy.ts';
import { formatProblem, type Problem } from '../../spec/problem.ts';
import { sentFiles } from '../../spec/spec-files.ts';
import { checkData } from '../requests/check-data.ts';
import { readBody } from '../requests/read-request.ts';
import { RequestError } from '../requests/request-error.ts';
import type { SubmissionLimits } from './submission-limits.ts';

const MOST_PROBLEMS = 100;

type Body = BodyOf<typeof endpoints.createWorkflow>;

/** Who submits, and what is asked of the server. */
export interface Submission {
  /** The body of the request as it arrived. */
  text: string;
  actor: string;
  idempotencyKey: string | null;
  limits: SubmissionLimits;
  /** Of the server; what the client has configured takes precedence. */
  retryDefaults: Partial<RetryPolicy>;
  /** The server can ask a cluster for workers. */
  hasCluster: boolean;
  /** The server can submit runs to DAGMan. */
  hasDagman: boolean;
  /** Whom the server notifies for specs. */
  notify: NotifyPolicy;
  /** Groups that the caller may name; null: there are no tokens, and so no groups. */
  groups: GroupPolicy | null;
}

/** What a spec may ask of the server. */
type SpecPolicy = Pick<Submission, 'limits' | 'retryDefaults' | 'notify' | 'groups'>;

export type UpdateSubmission = Pick<
  Submission,
  'text' | 'actor' | 'limits' | 'retryDefaults' | 'notify' | 'groups'
>;

export interface ReadSubmission {
  workflow: NewWorkflow;
  /** Keys of the spec that were accepted and have no effect here. */
  notes: string[];
}

/** Reads the spec as if it had been found in a file here: nothing that a client says of it is believed. */
export function readSubmission(submission: Submission): ReadSubmission {
  const { text, actor, idempotencyKey } = submission;
  const body = readBody(endpoints.createWorkflow, parseJson(text)) as Body;
  const source = sourceOf(body);
  const loaded = loadSource(source, submission);
  const refused = body.executor === 'htcondor' ? dagProblems(source, loaded.model) : [];
  if (refused.length > 0) throw refusedSpec(refused);
  const workflow: NewWorkflow = {
    model: loaded.model,
    source,
    cwd: body.cwd ?? '.',
    output_dir: body.output_dir ?? 'output',
    actor,
    shared: true,
    executor: executorFor(loaded.model, body.executor, submission),
    ...(body.until && { until: body.until }),
    ...(idempotencyKey !== null && { idempotency_key: idempotencyKey }),
  };
  const notes = loaded.notes.map(formatProblem);
  if (submission.groups === null && (loaded.model.accessGroups ?? []).length > 0) notes.push(WITHOUT_TOKENS);
  if (!submission.hasCluster && loaded.model.schedulers !== undefined) notes.push(WITHOUT_CLUSTER);
  return { workflow, notes };
}

/** An edited spec for a workflow that there is. */
export function readUpdate(submission: UpdateSubmission): {
  model: WorkflowModel;
  update: Omit<SubmittedUpdate, 'head'>;
  notes: string[];
} {
  const body = readBody(endpoints.updateWorkflow, parseJson(submission.text)) as BodyOf<
    typeof endpoints.updateWorkflow
  >;
  const { stale, dry_run, limit } = body;
  const { model, notes } = loadSource(sourceOf(body), submission);
  return {
    model,
    update: {
      actor: submission.actor,
      ...(stale && { stale }),
      ...(dry_run !== undefined && { dry_run }),
      ...(limit !== undefined && { limit }),
    },
    notes: notes.map(formatProblem),
  };
}

function loadSource(source: SpecSource, submission: SpecPolicy) {
  const loaded = readSubmittedSpec(source, submission);
  if (!loaded.ok) throw refusedSpec(loaded.problems);
  // Notations of text have escapes for what the text itself may not have.
  const problem = checkData(loaded.model, 'body.spec', { zeroBytes: 'refused' });
  if (problem !== null) throw new RequestError([{ ...problem, path: 'body.spec' }], 'INVALID_SPEC');
  return { ...loaded, model: overrideRouting(loaded.model, source.overrides ?? {}) };
}

/** Within what the caller may submit, and this server sends. */
export function readSubmittedSpec(
  source: SpecSource,
  { limits, retryDefaults, notify, groups }: SpecPolicy,
): LoadResult {
  const loaded = loadSpec(source.text, source.name, {
    retryDefaults: { ...retryDefaults, ...source.retry_defaults },
    ...(source.set && { set: source.set }),
    files: sentFiles(source.files ?? { texts: {}, lists: {} }),
    expansion: {
      jobs: limits.jobs,
      bytes: limits.expanded,
      wayOut: 'split the workflow, or have `submission_limits` of the server raised',
    },
  });
  if (!loaded.ok) return loaded;
  const { model } = loaded;
  const refused = [
    ...notifyProblems(source, model.notify ?? [], notify),
    ...groupProblems(source, model.accessGroups ?? [], groups),
  ];
  return refused.length === 0 ? loaded : { ok: false, problems: refused };
}

export const WITHOUT_TOKENS =
  '`access_groups` keep nobody out: this server runs without tokens (`serve --auth token`)';

const WITHOUT_CLUSTER =
  '`slurm_schedulers` are not used: this server finds no Slurm; its workers run the jobs';

export const WITHOUT_DAGMAN = 'this server finds no HTCondor: `condor_submit_dag` is not on its PATH';

function executorFor(
  { schedulers }: WorkflowModel,
  wanted: WorkflowExecutor | undefined,
  { hasCluster, hasDagman }: Pick<Submission, 'hasCluster' | 'hasDagman'>,
): WorkflowExecutor {
  if (wanted === undefined) return hasCluster && schedulers !== undefined ? 'slurm' : 'workers';
  if (wanted === 'workers') return wanted;
  const problem = (message: string) => new RequestError([{ path: 'body.executor', message }]);
  if (wanted === 'htcondor') {
    if (!hasDagman) throw problem(WITHOUT_DAGMAN);
    return wanted;
  }
  if (!hasCluster) throw problem('this server finds no Slurm; without `executor` its workers run the jobs');
  if (schedulers === undefined) throw problem('slurm needs `slurm_schedulers` in the spec');
  return wanted;
}

/** Every mistake of a spec, with its place in the body. */
export function refusedSpec(found: readonly Problem[]): RequestError {
  const problems = found.slice(0, MOST_PROBLEMS);
  const fields = problems.map((problem) => ({
    path: problem.path === '' ? 'body.spec' : `body.spec.${problem.path}`,
    message: `${problem.line}:${problem.column}: ${problem.message}`,
  }));
  return Object.assign(new RequestError(fields, 'INVALID_SPEC'), {
    message: problems.map(formatProblem).join('\n'),
  });
}

export function parseJson(text: string): unknown {
  if (text === '') return {};
  try {
    // As the server reads other bodies: a key that would reach into prototypes is refused.
    if (text.includes('"__proto__"')) throw new SyntaxError('it has a key `__proto__`');
    return JSON.parse(text);
  } catch (error) {
    const problem = `the request cannot be read: ${(error as Error).message.slice(0, 200)}`;
    throw new HoldfastError('UNREADABLE_REQUEST', { problem }, error);
  }
}

export function sourceOf({
  spec,
  file_name,
  retry_defaults,
  set,
  files,
  overrides,
}: Pick<Body, 'spec' | 'file_name' | 'retry_defaults' | 'set' | 'files' | 'overrides'>): SpecSource {
  const isText = typeof spec === 'string';
  return {
    text: isText ? spec : JSON.stringify(spec),
    name: file_name ?? (isText ? 'spec.yaml' : 'spec.json'),
    ...(retry_defaults && { retry_defaults }),
    ...(set && { set }),
    ...(files && { files }),
    ...(overrides && { overrides }),
  };
}
