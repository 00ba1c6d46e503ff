import type { ReadBy } from '../contract/by.ts';
import type { OperationId, OperationMethods } from '../contract/endpoints.ts';
import { isSelective, startsOver } from '../core/selection/selection.ts';
import { newSecret } from '../host/secret.ts';
import { appendEvent } from '../store/rows/events/event-rows.ts';
import { writeRunSettings } from '../store/rows/workflows/head-rows.ts';
import type { WorkflowRow } from '../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../store/script.ts';
import {
  allocationsPage,
  cancelAllocation,
  changeSchedulers,
  orderAllocations,
  resumeScheduler,
  schedulersPage,
} from './allocations/operate-allocations.ts';
import { refuseWhileDagRuns } from './dags/refuse-while-dag-runs.ts';
import { archiveWorkflow, unarchiveWorkflow } from './housekeeping/archive-workflow.ts';
import { deleteWorkflow, pruneWorkflows } from './housekeeping/delete-workflow.ts';
import { cancelWorkflow } from './operate/cancel-workflow.ts';
import { changeJobResources } from './operate/change-resources.ts';
import { pauseWorkflow, resumeWorkflow, stopWorkflow } from './operate/pause-workflow.ts';
import { recoverWorkflow } from './operate/recover-workflow.ts';
import { reinitialize } from './operate/reinitialize.ts';
import { resetStatus } from './operate/reset-status.ts';
import { resolveJobs } from './operate/resolve-jobs.ts';
import { retryJob } from './operate/retry-job.ts';
import { retryJobs } from './operate/retry-jobs.ts';
import { setRunUntil } from './operate/run-until.ts';
import { storeToken, tokensOf, withdrawToken } from './operate/tokens.ts';
import { changeUserData, userDataPage } from './operate/user-data.ts';
import { listFailures } from './read/list-failures.ts';
import { fileMarksPage } from './read/list-file-marks.ts';
import { heldJobsPage } from './read/list-held-jobs.ts';
import {
  attemptsPage,
  auditPage,
  decisionsPage,
  eventsPage,
  filesPage,
  jobDetails,
  jobOfAny,
  jobsPage,
  utilizationPage,
  workersPage,
  workflowsPage,
} from './read/list-records.ts';
import { timelinesPage } from './read/list-timelines.ts';
import { readExplanation } from './read/read-explanation.ts';
import { readGraph } from './read/read-graph.ts';
import { readAttention, summariesPage } from './read/read-overview.ts';
import { readSamples } from './read/read-samples.ts';
import { readStatus } from './read/read-status.ts';
import { summarizeFailures } from './read/summarize-failures.ts';
import { needJob, needWorkflow, takeWorkflow } from './records/needed-rows.ts';
import { workerRecord, workflowRecord } from './records/records.ts';
import {
  failRequest,
  pauseRequest,
  restartRequest,
  resumeRequest,
  stopRequest,
} from './requests/operate-request.ts';
import { readErrors, withLogTails } from './requests/read-errors.ts';
import {
  historyPage,
  itemsPage,
  requestNamed,
  requestsPage,
  roundsPage,
  unitsPage,
} from './requests/read-requests.ts';
import { refuseDecided, refuseRound } from './requests/refuse-round.ts';
import { releaseRequest } from './requests/release-request.ts';
import { banSite, listSites, unbanSite } from './requests/sites.ts';
import { drainWorker } from './workers/drain-worker.ts';
import { isAlive } from './workers/is-alive.ts';
import { declareWorkerLost } from './workers/sweep-workers.ts';

/** How the engine of this process carries out an operation: one transaction. */
export interface LocalOperation<A extends unknown[] = never, T = unknown> {
  kind: 'read' | 'write';
  script: (now: number, ...given: A) => Script<T>;
  /** What is read from files once the transaction is over. */
  finish?: (found: unknown) => Promise<T>;
}

/** Loaded when it is needed. */
type Lazy<O> = () => Promise<O>;

function read<A extends unknown[], T>(script: (now: number, ...given: A) => Script<T>): LocalOperation<A, T> {
  return { kind: 'read', script };
}

/** What the store has, and then what it refers to elsewhere. */
function readAlso<A extends unknown[], F, T>(
  script: (now: number, ...given: A) => Script<F>,
  finish: (found: F) => Promise<T>,
): LocalOperation<A, T> {
  return { kind: 'read', script, finish } as unknown as LocalOperation<A, T>;
}

function write<A extends unknown[], T>(
  script: (now: number, ...given: A) => Script<T>,
): LocalOperation<A, T> {
  return { kind: 'write', script };
}

/** A change of one workflow, which nobody else changes meanwhile. */
function change<A extends unknown[], T>(
  script: (workflow: WorkflowRow, now: number, ...given: A) => Script<T>,
): LocalOperation<[workflowId: number, ...given: A], T> {
  return write(function* (now, workflowId, ...given) {
    return yield* script(yield* takeWorkflow(workflowId), now, ...given);
  });
}

/** A change that would upset the ledger of a request if it were made to one of its rounds. `instead`: what does it there. */
function changeOfPlain<A extends unknown[], T>(
  instead: string,
  script: (workflow: WorkflowRow, now: number, ...given: A) => Script<T>,
): LocalOperation<[workflowId: number, ...given: A], T> {
  return change(function* (workflow, now, ...given) {
    yield* refuseRound(workflow, instead);
    return yield* script(workflow, now, ...given);
  });
}

/** Failure handlers are read as specs are, and the schema of specs is half of what there is to load. */
function withHandlers<O>(
  make: (module: typeof import('./operate/failure-handlers.ts')) => O,
): () => Promise<O> {
  return async () => make(await import('./operate/failure-handlers.ts'));
}

type Given<I extends OperationId> = Parameters<OperationMethods[I]>;
type Result<I extends OperationId> = Awaited<ReturnType<OperationMethods[I]>>;

export const localOperations: {
  readonly [I in OperationId]:
    | LocalOperation<Given<I>, Result<I>>
    | Lazy<LocalOperation<Given<I>, Result<I>>>;
} = {
  getWorkflow: read(function* (_, id) {
    return workflowRecord(yield* needWorkflow(id));
  }),
  listWorkflows: read((_, query = {}) => workflowsPage(query)),
  status: read(function* (now, id) {
    return yield* readStatus(yield* needWorkflow(id), now, isAlive);
  }),
  cancel: changeOfPlain('fail', function* (workflow, now, request) {
    if (isSelective(request)) yield* refuseWhileDagRuns(workflow, 'canceled');
    return yield* cancelWorkflow(workflow, request, now, isAlive);
  }),
  setRunSettings: change(function* (workflow, _now, { actor: _, ...settings }) {
    yield* writeRunSettings(workflow.id, JSON.stringify(settings));
    return workflowRecord(yield* needWorkflow(workflow.id));
  }),
  setUntil: changeOfPlain('stop --pause', (workflow, now, request) => setRunUntil(workflow, request, now)),
  pauseWorkflow: changeOfPlain('stop --pause', (workflow, now, request) =>
    pauseWorkflow(workflow, request, now),
  ),
  stopWorkflow: changeOfPlain('stop', (workflow, now, request) => stopWorkflow(workflow, request, now)),
  resumeWorkflow: changeOfPlain('resume', (workflow, now, request) => resumeWorkflow(workflow, request, now)),
  resetStatus: changeOfPlain('restart', function* (workflow, now, request) {
    yield* refuseWhileDagRuns(workflow, 'started over');
    return yield* resetStatus(workflow.id, request, now, isAlive);
  }),
  deleteWorkflow: change((workflow, now, request) => deleteWorkflow(workflow, request, now, isAlive)),
  pruneWorkflows: write((now, request) => pruneWorkflows(request, now, isAlive)),
  archiveWorkflow: change((workflow, now, request) => archiveWorkflow(workflow, request, now)),
  unarchiveWorkflow: change((workflow, now, request) => unarchiveWorkflow(workflow, request, now)),
  reinitialize: changeOfPlain('restart', function* (workflow, now, request) {
    yield* refuseWhileDagRuns(workflow, 'started over');
    return yield* reinitialize(workflow, request, now, isAlive);
  }),
  addEvent: change(({ id, run_id }, now, { type, actor, reason, data }) =>
    appendEvent({ workflow_id: id, run_id, at: now, type, actor, reason, data }),
  ),
  listFiles: read((_, id, query = {}) => filesPage(id, query)),
  listFileMarks: read((_, id, query = {}) => fileMarksPage(id, query)),
  listUserData: read((_, id, query = {}) => userDataPage(id, query)),
  setUserData: write((now, id, name, request) => changeUserData(id, name, request, now)),
  createFailureHandler: withHandlers(({ createFailureHandler }) =>
    write((now, id, handler) => createFailureHandler(id, handler, now)),
  ),
  listFailureHandlers: withHandlers(({ failureHandlersPage }) =>
    read((_, id, query = {}) => failureHandlersPage(id, query)),
  ),
  getFailureHandler: withHandlers(({ getFailureHandler }) => read((_, id) => getFailureHandler(id))),
  deleteFailureHandler: withHandlers(({ deleteFailureHandler }) =>
    write((now, id, { actor }) => deleteFailureHandler(id, actor, now)),
  ),

  listJobs: read((_, id, query = {}) => jobsPage(id, query)),
  getJob: read((_, id, job) => jobDetails(id, job)),
  findJob: read((_, id) => jobOfAny(id)),
  retryJob: change(function* (workflow, now, job, request) {
    yield* refuseDecided(workflow, 'release');
    yield* refuseWhileDagRuns(workflow, 'retried');
    yield* retryJob(workflow, yield* needJob(workflow.id, job), request, now, isAlive);
    return yield* jobDetails(workflow.id, job);
  }),
  retryJobs: change(function* (workflow, now, request) {
    yield* startsOver(request) ? refuseRound(workflow, 'restart') : refuseDecided(workflow, 'release');
    yield* refuseWhileDagRuns(workflow, 'retried');
    return yield* retryJobs(workflow, request, now, isAlive);
  }),
  changeResources: change(function* (workflow, now, job, request) {
    yield* refuseDecided(workflow, 'release');
    yield* refuseWhileDagRuns(workflow, 'changed');
    return yield* changeJobResources(workflow, yield* needJob(workflow.id, job), request, now);
  }),
  explain: read((now, id, job, query: ReadBy<unknown> = {}) => readExplanation(id, job, now, query.reader)),
  listAttempts: read((_, id, query = {}) => attemptsPage(id, query)),
  listEvents: read((_, id, query = {}) => eventsPage(id, query)),
  samples: read((_, id, job, query = {}) => readSamples(id, job, query)),
  utilization: read((_, id, query = {}) => utilizationPage(id, query)),

  listFailures: read(function* (_, id, query = {}) {
    return yield* listFailures(yield* needWorkflow(id), query);
  }),
  summarizeFailures: read(function* (_, id, query = {}) {
    return yield* summarizeFailures(yield* needWorkflow(id), query);
  }),
  resolve: change((workflow, now, request) => resolveJobs(workflow, request, now)),
  recover: changeOfPlain('release', (workflow, now, request) =>
    recoverWorkflow(workflow, request, now, isAlive),
  ),
  listDecisions: read((_, query = {}) => decisionsPage(query)),

  listWorkerJobs: read((_, worker, query = {}) => heldJobsPage(worker, query)),
  listWorkers: read((now, query = {}) => workersPage(query, now, isAlive)),
  drainWorker: write((now, id, { actor }) => drainWorker(id, actor, now)),
  loseWorker: write(function* (now, id, { actor }) {
    return workerRecord(yield* declareWorkerLost(id, actor, now), false, now);
  }),

  listSchedulers: read((_, id, query = {}) => schedulersPage(id, query)),
  putSchedulers: change((workflow, now, request) => changeSchedulers(workflow, request, now)),
  resumeScheduler: change((workflow, now, name, { actor }) => resumeScheduler(workflow, name, actor, now)),
  listAllocations: read((_, query = {}) => allocationsPage(query)),
  orderAllocations: change((workflow, now, request) => orderAllocations(workflow, request, now)),
  cancelAllocation: write((now, id, request) => cancelAllocation(id, request, now)),

  graph: read(function* (_, id) {
    return yield* readGraph(yield* needWorkflow(id));
  }),
  listTimelines: read((_, id, query = {}) => timelinesPage(id, query)),
  listSummaries: read((now, query = {}) => summariesPage(query, now, isAlive)),
  listAttention: read((now, query: ReadBy<unknown> = {}) => readAttention(query, now, isAlive)),

  listRequests: read((_, query = {}) => requestsPage(query)),
  getRequest: read((_, name) => requestNamed(name)),
  listRounds: read((_, name, query = {}) => roundsPage(name, query)),
  listUnits: read((_, name, query = {}) => unitsPage(name, query)),
  listItems: read((_, name, query = {}) => itemsPage(name, query)),
  requestErrors: readAlso((_, name, query = {}) => readErrors(name, query), withLogTails),
  requestHistory: read((_, name, query = {}) => historyPage(name, query)),
  releaseRequest: write((now, name, action) => releaseRequest(name, action, now)),
  failRequest: write((now, name, action) => failRequest(name, action, now, isAlive)),
  restartRequest: write((now, name, action) => restartRequest(name, action, now, isAlive)),
  stopRequest: write((now, name, action) => stopRequest(name, action, now)),
  pauseRequest: write((now, name, action) => pauseRequest(name, action, now)),
  resumeRequest: write((now, name, action) => resumeRequest(name, action, now)),
  listSites: read((now, query = {}) => listSites(query, now)),
  banSite: write((now, site, action) => banSite(site, action, now)),
  unbanSite: write((now, site, action) => unbanSite(site, action, now)),

  createToken: write(function* (now, token) {
    const secret = newSecret();
    return { ...(yield* storeToken(token, secret, now)), secret };
  }),
  listTokens: read(() => tokensOf()),
  revokeToken: write((now, id, { actor }) => withdrawToken(id, actor, now)),
  listAudit: read((_, query = {}) => auditPage(query)),
};
