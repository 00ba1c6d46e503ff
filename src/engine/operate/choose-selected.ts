import { HoldfastError } from '../../core/errors.ts';
import type { JobRef } from '../../core/job/job-ref.ts';
import { type JobStatus, statusName } from '../../core/job/job-status.ts';
import { downstreamOf } from '../../core/selection/downstream.ts';
import { isPattern } from '../../core/selection/glob.ts';
import { nearNames, nearText } from '../../core/selection/near-names.ts';
import { findRefs, type SelectableJob, selectJobs } from '../../core/selection/select-jobs.ts';
import type { Selection } from '../../core/selection/selection.ts';
import { listWithLastAttempt } from '../../store/rows/attempts/failure-rows.ts';
import {
  listAllMembers,
  listNames,
  listSelectable,
  listSelectableOf,
  type SelectableRow,
} from '../../store/rows/jobs/selectable-rows.ts';
import type { Script } from '../../store/script.ts';
import { fingerprintOf } from '../read/list-failures.ts';

/** A job that a selection can mean, with its row. */
export interface Candidate extends SelectableJob {
  row: SelectableRow;
}

export interface ChosenJobs {
  jobs: Candidate[];
  /** Those that are meant one by one: what cannot be done with one of them is an error. */
  named: ReadonlySet<number>;
  /** The jobs of `from` themselves. */
  roots: ReadonlySet<number>;
  /** What the selection names and does not exist. */
  problems: HoldfastError[];
}

const FAILED: readonly JobStatus[] = ['failed', 'terminated', 'pending_failed'];
/** Names are looked for that may have been meant by so many of the unknown ones. */
const MOST_HINTS = 5;

/** The jobs that a selection means. `downstream`: with all that waits for them, whether `from` names them or not. */
export function* chooseSelected(
  workflowId: number,
  selection: Selection,
  { downstream = false }: { downstream?: boolean } = {},
): Script<ChosenJobs> {
  const jobs = yield* loadCandidates(workflowId, selection, downstream);
  const roots = findRefs(selection.from ?? [], jobs);
  const needsGraph = selection.only !== true && (downstream || roots.ids.size > 0);
  const graph = {
    jobs: jobs.map(({ row }) => row),
    members: needsGraph ? yield* listAllMembers(workflowId) : [],
  };
  const below = downstreamOf(roots.ids, graph);
  const fingerprints = selection.fingerprint === undefined ? new Map() : yield* loadFingerprints(workflowId);
  const selected = selectJobs(selection, { jobs, below, fingerprints });
  const chosen = downstream
    ? downstreamOf(
        selected.jobs.map(({ id }) => id),
        graph,
      )
    : null;
  const problems = yield* unknownProblems(workflowId, [...roots.unknown, ...selected.unknown]);
  const { fingerprint } = selection;
  if (fingerprint !== undefined && ![...fingerprints.values()].includes(fingerprint)) {
    problems.push(new HoldfastError('NO_SUCH_FAILURE', { workflow: workflowId, fingerprint }));
  }
  return {
    jobs: chosen === null ? selected.jobs : jobs.filter(({ id }) => chosen.has(id)),
    named: selected.named,
    roots: roots.ids,
    problems,
  };
}

/** As few rows as the selection can be decided with. */
function* loadCandidates(
  workflowId: number,
  { jobs, patterns, statuses, fingerprint, from }: Selection,
  downstream: boolean,
): Script<Candidate[]> {
  const isWhole = downstream || patterns !== undefined || from !== undefined;
  const filtered = statuses ?? (fingerprint === undefined ? null : FAILED);
  const rows = isWhole
    ? yield* listSelectable(workflowId, null)
    : jobs === undefined
      ? yield* listSelectable(workflowId, filtered)
      : yield* listSelectableOf(workflowId, numbersIn(jobs), namesIn(jobs));
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    status: statusName(row.status),
    row,
  }));
}

function numbersIn(refs: readonly JobRef[]): number[] {
  return [...new Set(refs.filter((ref) => typeof ref === 'number'))];
}

/** Names that the references can be, or begin with: in `p@list[0]` it is `p`. */
function namesIn(refs: readonly JobRef[]): string[] {
  const names = new Set<string>();
  for (const ref of refs) {
    if (typeof ref === 'number') continue;
    names.add(ref);
    for (let at = ref.indexOf('@'); at >= 0; at = ref.indexOf('@', at + 1)) names.add(ref.slice(0, at));
  }
  return [...names];
}

function* loadFingerprints(workflowId: number): Script<Map<number, string>> {
  const rows = yield* listWithLastAttempt(workflowId, FAILED);
  return new Map(rows.filter(({ cause }) => cause !== null).map((row) => [row.job_id, fingerprintOf(row)]));
}

function* unknownProblems(workflow: number, unknown: readonly string[]): Script<HoldfastError[]> {
  if (unknown.length === 0) return [];
  const names = yield* listNames(workflow);
  return unknown.map((text, index) => {
    const near = index < MOST_HINTS ? nearText(nearNames(text, names)) : '';
    return isPattern(text)
      ? new HoldfastError('NO_MATCH', { workflow, pattern: text, near })
      : new HoldfastError('JOB_NOT_FOUND', { workflow, job: text, near });
  });
}

const MOST_PROBLEMS = 20;

/** One problem is reported as it is, several together; nothing is changed then. */
export function refuseFor(problems: readonly HoldfastError[]): void {
  const [first, second] = problems;
  if (first === undefined) return;
  if (second === undefined) throw first;
  const lines = problems.slice(0, MOST_PROBLEMS).map(({ message }) => message);
  const rest = problems.length - lines.length;
  if (rest > 0) lines.push(`and ${rest} more`);
  throw new HoldfastError('SELECTION_REFUSED', { problems: lines.join('\n') });
}
