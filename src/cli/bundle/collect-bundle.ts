import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { FailureGroup } from '../../contract/records/resolution.ts';
import { formatSize } from '../../core/text/quantity.ts';
import { readVersion } from '../../mcp/read-version.ts';
import { explainedJob } from '../../views/explanation.ts';
import { newestJob } from '../../views/failure-group.ts';
import type { CommandContext } from '../command-context.ts';
import { shownValue } from '../config/settings.ts';
import { allChecks } from '../doctor/all-checks.ts';
import { stderrOf } from '../logs/stderr-of.ts';
import { csvText } from '../terminal/csv-text.ts';
import { createPaint } from '../terminal/styled-line.ts';
import { printedText, type View } from '../terminal/view.ts';
import { explanationView } from '../texts/explanation-text.ts';
import { failuresView } from '../texts/failures-text.ts';
import { attemptsView } from '../texts/lists/attempts.ts';
import { checksView } from '../texts/lists/checks.ts';
import { eventsView } from '../texts/lists/events.ts';
import { jobsView } from '../texts/lists/jobs.ts';
import { LIST_COLUMNS, type ListName } from '../texts/lists/list-columns.ts';
import { settingsView } from '../texts/lists/settings.ts';
import { statusView } from '../texts/status-text.ts';
import { sampleGroup } from '../triage/sample-group.ts';
import { BundleMask } from './bundle-mask.ts';
import { type BundleFile, collectLogs, isFailed, type LogCounts, type LogLimits } from './collect-logs.ts';
import { safeName } from './tar-entry.ts';

/** Failed jobs that are explained, and jobs whose configuration is there. */
const MOST_EXPLAINED = 50;
const MOST_CONFIGS = 200;
/** Lines of a list; of attempts and events the newest. */
const MOST_ROWS = 20_000;

export interface BundleCounts extends LogCounts {
  failed: number;
  explained: number;
  configs: number;
  jobs: number;
}

/** All files of a bundle; the first says what the others are, so that it comes last. `counts` is filled in. */
export async function* collectBundle(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  limits: LogLimits,
  counts: BundleCounts,
): AsyncGenerator<BundleFile> {
  const mask = await BundleMask.of(context, engine, workflowId);
  const style = {
    width: Number.POSITIVE_INFINITY,
    now: Date.now(),
    paint: createPaint(false),
    cwd: process.cwd(),
    command: context.command,
  };
  const file = (name: string, text: string): BundleFile => ({
    name,
    data: Buffer.from(`${mask.text(text)}\n`),
  });
  const text = <T>(name: string, view: View<T>, thing: T) =>
    file(name, printedText(view, thing, 'table', style));
  const json = (name: string, thing: unknown) => file(name, JSON.stringify(thing, null, 2));
  const csv = <T>(list: ListName, view: View<T[]>, rows: T[]) =>
    file(`${list}.csv`, csvText(view, rows, LIST_COLUMNS[list]));

  const status = await engine.status(workflowId);
  yield text('status.txt', statusView, status);
  yield json('status.json', status);
  const groups = await engine.listFailures(workflowId, {});
  const sampled = [];
  for (const group of groups) sampled.push(await sampleGroup(engine, workflowId, group));
  yield text('failures.txt', failuresView, { groups: sampled, next: null });
  yield json('failures.json', sampled);

  const failed = failedJobs(groups);
  counts.failed = failed.length;
  for (const { job_id, name } of failed.slice(0, MOST_EXPLAINED)) {
    const events = await allPages((page) => engine.listEvents(workflowId, { ...page, job: job_id }));
    const explained = explainedJob(await engine.explain(workflowId, job_id), events);
    const shown = { explained, stderr: await stderrOf(engine, explained), hints: [], allRules: true };
    yield text(`explain/${job_id}-${safeName(name)}.txt`, explanationView, shown);
    counts.explained += 1;
  }
  const jobs = await allPages((page) => engine.listJobs(workflowId, page));
  counts.jobs = jobs.length;
  const first = new Set(failed.map(({ job_id }) => job_id));
  const ordered = [...first, ...jobs.map(({ id }) => id).filter((id) => !first.has(id))];
  for (const id of ordered.slice(0, MOST_CONFIGS)) {
    const { name, config } = await engine.getJob(workflowId, id);
    yield json(`spec/${id}-${safeName(name)}.json`, { name, ...(mask.config(config) as object) });
    counts.configs += 1;
  }
  yield csv('jobs', jobsView, jobs.slice(0, MOST_ROWS));
  const attempts = await allPages((page) => engine.listAttempts(workflowId, page));
  yield csv('attempts', attemptsView, attempts.slice(-MOST_ROWS));
  const events = await allPages((page) => engine.listEvents(workflowId, page));
  yield csv('events', eventsView, events.slice(-MOST_ROWS));
  yield text('doctor.txt', checksView, await allChecks(context));
  const settings = context.origins.map((each) => ({ ...each, value: shownValue(each.key, each.value) }));
  yield text('settings.txt', settingsView, settings);
  yield json('versions.json', versions());
  yield* collectLogs(engine, workflowId, attempts.filter(isFailed), mask, limits, counts);
  yield file('README.txt', readme(workflowId, status.workflow.name, limits, counts));
}

/** One of each group of failures before the rest of them. */
function failedJobs(groups: readonly FailureGroup[]): FailureGroup['jobs'] {
  const newest = groups.map(newestJob);
  const others = groups.flatMap(({ jobs }) => jobs).filter((job) => !newest.includes(job));
  return [...newest, ...others];
}

function versions(): Record<string, string> {
  const { platform, arch, version } = process;
  return { holdfast: readVersion(), node: version, platform, arch, written_at: new Date().toISOString() };
}

function readme(workflowId: number, name: string, limits: LogLimits, counts: BundleCounts): string {
  const { failed, explained, configs, jobs, logs, cut, left_out } = counts;
  return [
    `What is known of workflow ${workflowId} ${name}, for people who have to find out why it failed.`,
    '',
    'status.txt      where it stands',
    'failures.txt    failed jobs, grouped by what they have in common',
    `explain/        why jobs failed, and which rules were checked (${explained} of ${failed})`,
    `spec/           jobs as they are stored (${configs} of ${jobs}), failed ones first`,
    `jobs.csv, attempts.csv, events.csv   at most ${MOST_ROWS} lines each, of attempts and events the newest`,
    `logs/           of failed attempts (${logs}), the newest first`,
    'doctor.txt, settings.txt, versions.json   the machine on which this was written',
    '',
    `Of each log there are at most the last ${formatSize(limits.log)}, and ${formatSize(limits.total)} of all: ${cut} are cut, ${left_out} are left out.`,
    'Values of variables that are named like secrets are masked. Look through the files before you send them.',
  ].join('\n');
}
