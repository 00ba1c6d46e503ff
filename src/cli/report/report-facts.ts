import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { AttemptRecord, Explanation, Page, WorkflowStatus } from '../../contract/records/records.ts';
import type { FailureSummary } from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { type Timeline, TimelineSums } from '../../views/report/run-timeline.ts';
import { type UsageGroup, UsageSums } from '../../views/report/usage-groups.ts';
import { routeTrace, type TraceEntry } from '../../views/route-trace.ts';
import type { BundleMask } from '../bundle/bundle-mask.ts';
import { plainLogLines } from '../logs/plain-log-lines.ts';

/** A group of failures with the end of stderr of one job of it, and why that job is where it is. */
export interface ReportedGroup extends FailureSummary {
  stderr: string[];
  /** null: the job was removed meanwhile. */
  explanation: Explanation | null;
}

/** What a report says. Its size does not depend on how many jobs there are. */
export interface ReportFacts {
  written_at_ms: number;
  version: string;
  status: WorkflowStatus;
  groups: ReportedGroup[];
  more_groups: boolean;
  timeline: Timeline;
  usage: UsageGroup[];
  /** The first routes of the run, and how many there were. */
  routes: TraceEntry[];
  route_count: number;
}

const GROUPS = 25;
const STDERR_LINES = 30;
const STDERR_BYTES = 16 * 1024;
const ROUTES = 100;
const PAGE = 1000;

/** Reads a workflow page by page, and keeps sums and the first of each kind. Secrets are masked. */
export async function collectReport(
  engine: Engine,
  workflowId: number,
  mask: BundleMask,
  { now, version }: { now: number; version: string },
): Promise<ReportFacts> {
  const status = await engine.status(workflowId);
  const { run_id } = status.workflow;
  const { groups, more } = await engine.summarizeFailures(workflowId, { limit: GROUPS });
  const reported: ReportedGroup[] = [];
  for (const group of groups) reported.push(await reportedGroup(engine, workflowId, group, mask));

  const from = status.started_at_ms ?? now;
  const timeline = new TimelineSums(from, status.finished_at_ms ?? Math.max(from, now));
  const inRun = (page: object) => engine.listAttempts(workflowId, { ...page, run_id });
  await eachOf<AttemptRecord>(inRun, (attempt) => timeline.add(attempt));

  const usage = new UsageSums();
  await eachOf(
    (page) => engine.utilization(workflowId, page),
    (used) => usage.add(used),
  );

  const routes: TraceEntry[] = [];
  let routeCount = 0;
  await eachOf(
    (page) => engine.listEvents(workflowId, page),
    (event) => {
      if (event.run_id !== run_id) return;
      for (const entry of routeTrace([event])) {
        // Failures alone have a section of their own.
        if (entry.route === 'failure' || entry.route === 'none') continue;
        routeCount += 1;
        if (routes.length < ROUTES) routes.push(entry);
      }
    },
  );
  return mask.data({
    written_at_ms: now,
    version,
    status,
    groups: reported,
    more_groups: more,
    timeline: timeline.timeline,
    usage: usage.groups,
    routes,
    route_count: routeCount,
  });
}

async function reportedGroup(
  engine: Engine,
  workflowId: number,
  group: FailureSummary,
  mask: BundleMask,
): Promise<ReportedGroup> {
  const chunk = await logReader(engine, workflowId, group.sample, 'stderr')(-STDERR_BYTES, STDERR_BYTES);
  const data = mask.log(chunk?.data ?? new Uint8Array(), (chunk?.offset ?? 0) > 0);
  const stderr = plainLogLines(data.toString('utf8')).slice(-STDERR_LINES);
  try {
    return { ...group, stderr, explanation: await engine.explain(workflowId, group.sample.job_id) };
  } catch (error) {
    if (error instanceof HoldfastError && error.code === 'JOB_NOT_FOUND')
      return { ...group, stderr, explanation: null };
    throw error;
  }
}

/** Every item of a list, without keeping any. */
async function eachOf<T>(
  list: (page: { limit: number; after?: number }) => Promise<Page<T>>,
  visit: (item: T) => void,
): Promise<void> {
  let after: number | null = null;
  do {
    const page: Page<T> = await list({ limit: PAGE, ...(after !== null && { after }) });
    for (const item of page.items) visit(item);
    after = page.next;
  } while (after !== null);
}
