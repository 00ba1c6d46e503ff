import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import { HoldfastError } from '../../core/errors.ts';
import { explainedJob } from '../../views/explanation.ts';
import { plainLogLines } from '../logs/plain-log-lines.ts';
import { stderrOf } from '../logs/stderr-of.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import { explanationText } from '../texts/explanation-text.ts';
import { endText, pastText } from '../texts/failures-text.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { requestView } from '../texts/requests/request-text.ts';
import { requestNameOf as nameOf } from './list-rows.ts';
import type { GroupTarget, JobTarget } from './plans.ts';
import type { Detail, ListData, ListScreen, ViewName } from './top-state.ts';

/** Rows that are read at once; further ones are further pages. */
const PAGE_ROWS = 200;
/** Each of them is read with its rounds. */
const PAGE_REQUESTS = 20;
const EVENTS_OF_JOB = 200;
const LOG_BYTES = 128 * 1024;
const EXCERPT_BYTES = 16 * 1024;
const EXCERPT_LINES = 20;

/** Reads one page of a list. `workflow`: whose; lists of all workflows do not use it. */
export async function loadList(
  engine: Engine,
  view: ViewName,
  { name, statuses, pages }: ListScreen,
  workflow: number,
): Promise<ListData> {
  const after = pages.at(-1) ?? null;
  const page = { limit: PAGE_ROWS, ...(after !== null && { after }) };
  const named = name !== '' && { name };
  switch (view) {
    case 'workflows': {
      const listed = await engine.listSummaries({ ...page, ...named });
      const { items } = await engine.listAttention();
      const waiting = items.reduce((sum, item) => sum + (item.kind === 'failures' ? item.jobs : 0), 0);
      return { view, ...listed, waiting };
    }
    case 'jobs': {
      const status = await engine.status(workflow);
      const listed = await engine.listJobs(workflow, {
        ...page,
        ...named,
        ...(statuses !== null && { status: [...statuses] }),
      });
      return { view, status, ...listed };
    }
    case 'running':
      return { view, status: await engine.status(workflow) };
    case 'failures': {
      const status = await engine.status(workflow);
      return { view, status, ...(await engine.summarizeFailures(workflow, { limit: PAGE_ROWS })) };
    }
    case 'events': {
      const status = await engine.status(workflow);
      return { view, status, ...(await engine.listEvents(workflow, { ...page, sort: '-id' })) };
    }
    case 'workers':
      return { view, ...(await engine.listWorkers(page)) };
    case 'requests': {
      const { items, next } = await engine.listRequests({ ...page, limit: PAGE_REQUESTS });
      return { view, items: await Promise.all(items.map((item) => engine.getRequest(nameOf(item)))), next };
    }
  }
}

export async function loadDetail(engine: Engine, detail: Detail, style: TextStyle): Promise<string[]> {
  if (detail.kind === 'explanation') return explanationLines(engine, detail.target, style);
  if (detail.kind === 'group') return groupLines(engine, detail.target, style);
  if (detail.kind === 'request') {
    const request = await engine.getRequest(detail.target.name);
    return requestView.table({ request }, style);
  }
  const { workflow, job } = detail.target;
  try {
    const chunk = await engine.readLog(workflow, {
      job,
      stream: detail.stream,
      offset: -LOG_BYTES,
      limit: LOG_BYTES,
      follow: true,
    });
    const lines = plainLogLines(Buffer.from(chunk.data).toString('utf8'));
    if (lines.length === 0 && chunk.ended) return [`nothing was written to ${detail.stream}`];
    // The first line of a part of a log is most likely half a line.
    return chunk.offset > 0 ? ['… the beginning is left out', ...lines.slice(1)] : lines;
  } catch (error) {
    if (error instanceof HoldfastError && ['NO_LOG', 'NO_ATTEMPT'].includes(error.code))
      return [error.message];
    throw error;
  }
}

async function explanationLines(
  engine: Engine,
  { workflow, job }: JobTarget,
  style: TextStyle,
  hasStderr = true,
): Promise<string[]> {
  const explanation = await engine.explain(workflow, job);
  const { items } = await engine.listEvents(workflow, { job, sort: '-id', limit: EVENTS_OF_JOB });
  const explained = explainedJob(explanation, items.toReversed());
  const stderr = hasStderr ? await stderrOf(engine, explanation) : null;
  const hints = explanation.hint === null ? [] : [explanation.hint];
  return explanationText({ explained, stderr, hints, allRules: true }, style);
}

/** How many failed alike and how, what was decided about such failures, the end of stderr, and why one of them is where it is. */
async function groupLines(
  engine: Engine,
  { workflow, group }: GroupTarget,
  style: TextStyle,
): Promise<string[]> {
  const { fingerprint, jobs, waiting, sample, past } = group;
  const chunk = await logReader(engine, workflow, sample, 'stderr')(-EXCERPT_BYTES, EXCERPT_BYTES);
  const stderr = plainLogLines(Buffer.from(chunk?.data ?? []).toString('utf8')).slice(-EXCERPT_LINES);
  const waits = waiting === 0 ? '' : `, ${waiting} waiting for a decision`;
  return [
    `${fingerprint}: ${jobsCounted(jobs)}${waits}`,
    `ended: ${endText(group)}`,
    `before: ${pastText(past)}`,
    '',
    `the end of stderr of ${sample.name}${stderr.length === 0 ? ': nothing' : ':'}`,
    ...stderr.map((line) => `| ${line}`),
    '',
    ...(await explanationLines(
      engine,
      { kind: 'job', workflow, job: sample.job_id, name: sample.name },
      style,
      false,
    )),
  ];
}
