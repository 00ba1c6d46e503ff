import { harmlessLine } from '../text/harmless-line.ts';
import type { Edge } from './edges.ts';
import type { MessageTemplates } from './notify-model.ts';

/** What was known when the edge was recorded. */
export interface EdgeFacts {
  event: Edge;
  subject: 'workflow' | 'request';
  /** Of the workflow; null for a request. */
  workflow_id: number | null;
  run_id: number | null;
  /** Of the workflow, or `name@version` of the request. */
  name: string;
  /** Of the run or of the request, such as `failed` or `HELD`. */
  state: string;
  jobs: { total: number; completed: number; failed: number; canceled: number; waiting: number } | null;
  /** Some of the jobs that failed or wait, with their reasons. */
  failures: { name: string; reason: string }[];
  /** Why a request is held, or who failed it; null where the jobs say it. */
  reason: string | null;
  at_ms: number;
}

export interface Message {
  title: string;
  text: string;
}

/** What templates may use. */
export const MESSAGE_PLACEHOLDERS = [
  'event',
  'subject',
  'name',
  'id',
  'run',
  'state',
  'jobs',
  'completed',
  'failed',
  'canceled',
  'waiting',
  'failures',
  'reason',
  'time',
  'next',
] as const;

type Placeholder = (typeof MESSAGE_PLACEHOLDERS)[number];

const LONGEST_TITLE = 200;
const LONGEST_LINE = 500;
const LONGEST_TEXT = 4_000;

/** Names in a template that are no placeholders. */
export function unknownPlaceholders(template: string): string[] {
  return [...template.matchAll(/\{([^{}\s]+)\}/g)]
    .map(([, name]) => name!)
    .filter((name) => !MESSAGE_PLACEHOLDERS.some((each) => each === name));
}

/** The message of an edge. Texts of jobs are foreign: each is one line without control characters. */
export function composeMessage(facts: EdgeFacts, templates: MessageTemplates): Message {
  const values = placeholders(facts);
  const title = templates.title === null ? defaultTitle(facts) : filled(templates.title, values);
  const text = templates.text === null ? defaultText(facts, values) : filled(templates.text, values);
  return { title: harmlessLine(title, LONGEST_TITLE), text: cut(text, LONGEST_TEXT) };
}

function placeholders(facts: EdgeFacts): Record<Placeholder, string> {
  const { jobs } = facts;
  return {
    event: facts.event,
    subject: facts.subject,
    name: line(facts.name),
    id: facts.workflow_id === null ? line(facts.name) : String(facts.workflow_id),
    run: facts.run_id === null ? '' : String(facts.run_id),
    state: facts.state,
    jobs: String(jobs?.total ?? ''),
    completed: String(jobs?.completed ?? ''),
    failed: String(jobs?.failed ?? ''),
    canceled: String(jobs?.canceled ?? ''),
    waiting: String(jobs?.waiting ?? ''),
    failures: facts.failures.map(({ name, reason }) => `${line(name)}: ${line(reason)}`).join('\n'),
    reason: line(facts.reason ?? ''),
    time: new Date(facts.at_ms).toISOString(),
    next: nextCommand(facts),
  };
}

/** Values are put in once: braces in them are not placeholders. */
function filled(template: string, values: Record<Placeholder, string>): string {
  return template.replace(/\{([a-z]+)\}/g, (written, name: string) =>
    Object.hasOwn(values, name) ? values[name as Placeholder] : written,
  );
}

function defaultTitle(facts: EdgeFacts): string {
  const who =
    facts.subject === 'request'
      ? `Request ${facts.name}`
      : `Workflow ${facts.workflow_id} ${line(facts.name)}`;
  return `${who} ${whatHappened(facts)}`;
}

function whatHappened({ event, state }: EdgeFacts): string {
  switch (event) {
    case 'failed':
      return 'failed';
    case 'waiting':
      return 'is waiting for a decision';
    case 'held':
      return 'is held';
    case 'recovered':
      return 'recovered and finished';
    case 'finished':
      return state === 'canceled' ? 'was canceled' : 'finished';
  }
}

function defaultText({ jobs, failures, reason }: EdgeFacts, values: Record<Placeholder, string>): string {
  const lines: string[] = [];
  if (jobs !== null) {
    const parts = [
      `${jobs.completed} of ${jobs.total} jobs completed`,
      ...(jobs.failed > 0 ? [`${jobs.failed} failed`] : []),
      ...(jobs.canceled > 0 ? [`${jobs.canceled} canceled`] : []),
      ...(jobs.waiting > 0 ? [`${jobs.waiting} waiting for a decision`] : []),
    ];
    lines.push(parts.join(', '));
  }
  if (reason !== null) lines.push(values.reason);
  if (failures.length > 0) lines.push(values.failures);
  lines.push(`next: ${values.next}`);
  return lines.join('\n');
}

function nextCommand({ event, subject, name, workflow_id }: EdgeFacts): string {
  if (subject === 'request') return `holdfast requests ${event === 'held' ? 'errors' : 'show'} ${name}`;
  const isTrouble = event === 'waiting' || event === 'failed';
  return `holdfast ${isTrouble ? 'failures' : 'status'} ${workflow_id}`;
}

function line(text: string): string {
  return harmlessLine(text, LONGEST_LINE);
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}
