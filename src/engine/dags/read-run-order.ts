import { resolve } from 'node:path';
import type { RunOrder } from '../../contract/run-engine.ts';
import type { DagModel } from '../../core/dag/dag-model.ts';
import { NO_POOL_CHOICES } from '../../core/dag/pool-settings.ts';
import { JOB_STATUS } from '../../core/job/job-status.ts';
import type { FailureHandler } from '../../core/policy/failure-rule.ts';
import { DEFAULT_ERROR_SETTINGS } from '../../core/request/error-settings.ts';
import { type DagJobRow, listDagJobs, listSetMembers } from '../../store/rows/dags/dag-job-rows.ts';
import type { DagRunRow } from '../../store/rows/dags/dag-run-rows.ts';
import { decodeConfig } from '../../store/rows/jobs/job-rows.ts';
import { listBansFor } from '../../store/rows/requests/ban-rows.ts';
import { decodeModel, getRequestRow } from '../../store/rows/requests/request-rows.ts';
import { findRoundOf } from '../../store/rows/requests/round-rows.ts';
import { listHandlers } from '../../store/rows/workflows/handler-rows.ts';
import { listRequirements, type WorkflowRow } from '../../store/rows/workflows/workflow-rows.ts';
import type { Script } from '../../store/script.ts';
import { needWorkflow } from '../records/needed-rows.ts';
import { settingsOf } from '../rounds/request-settings.ts';
import { dagFileOf, fileRunOf } from './plan-dag-run.ts';

/** Everything that a run on DAGMan is made from, bans as they are now. */
export function* readRunOrder(row: DagRunRow, now: number): Script<RunOrder> {
  const workflow = yield* needWorkflow(row.workflow_id);
  const jobs = yield* listDagJobs(workflow.id);
  const bans = yield* listBansFor(workflow.request_id, now);
  const { settings, request, rulebook, pool, sites } = yield* roundOf(workflow);
  return {
    directory: row.directory,
    dag: dagFileOf(workflow),
    tag: row.tag,
    run: fileRunOf({ ...row, request_id: workflow.request_id }),
    model: yield* readDagModel(workflow, jobs),
    jobs: [...jobs.keys()].filter((index) => request !== null || OPEN.includes(jobs[index]!.status)),
    cwd: resolve(workflow.cwd),
    settings,
    request,
    rulebook,
    pool,
    sites: { allowed: sites, banned: [...new Set(bans.map(({ site }) => site))] },
  };
}

/** Jobs that DAGMan has to run; those of a round that are done are in its rescue file. */
const OPEN: readonly number[] = [JOB_STATUS.ready, JOB_STATUS.blocked];

type OfRound = Pick<RunOrder, 'settings' | 'request' | 'rulebook' | 'pool'> & { sites: string[] | null };

function* roundOf(workflow: WorkflowRow): Script<OfRound> {
  if (workflow.request_id === null) {
    return {
      settings: DEFAULT_ERROR_SETTINGS,
      request: null,
      rulebook: null,
      pool: NO_POOL_CHOICES,
      sites: null,
    };
  }
  const row = yield* getRequestRow(workflow.request_id);
  const { number } = (yield* findRoundOf(workflow.id))!;
  const { sites, rulebook, htcondor: pool } = decodeModel(row.model);
  const request = { name: row.name, version: row.version, round: number };
  return { settings: settingsOf(row), request, rulebook, pool, sites };
}

/** As it is stored: a round is planned once, and its model is not kept besides. */
function* readDagModel(workflow: WorkflowRow, jobs: readonly DagJobRow[]): Script<DagModel> {
  const requirements = yield* listRequirements(workflow.id);
  const handlers = yield* listHandlers(workflow.id);
  const jobIndex = new Map(jobs.map(({ id }, index) => [id, index]));
  const requirementIndex = new Map(requirements.map(({ id }, index) => [id, index]));
  const members = new Map<number, number[]>();
  for (const { set_id, job_id } of yield* listSetMembers(workflow.id)) {
    const list = members.get(set_id) ?? [];
    members.set(set_id, list);
    list.push(jobIndex.get(job_id)!);
  }
  const setIndex = new Map([...members.keys()].map((id, index) => [id, index]));
  return {
    name: workflow.name,
    limits: JSON.parse(workflow.limits) as Record<string, number>,
    maxParallel: workflow.max_parallel,
    failureHandlers: handlers.map(({ name, rules }) => ({
      name,
      rules: JSON.parse(rules) as FailureHandler['rules'],
    })),
    requirements,
    dependencySets: [...members.values()].map((list) => ({
      members: list,
      joined: [],
      producers: [],
      anyOf: [],
    })),
    jobs: jobs.map((job) => ({
      name: job.name,
      scope: '',
      priority: job.priority,
      cancelOnBlockingJobFailure: job.cancel_on_failure === 1,
      dependencySet: job.dependency_set_id === null ? null : (setIndex.get(job.dependency_set_id) ?? null),
      requirement: requirementIndex.get(job.requirement_id)!,
      config: decodeConfig(job.config),
    })),
  };
}
