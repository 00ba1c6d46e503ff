import { createHash } from 'node:crypto';
import { shownStatus } from '../../core/job/shown-status.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { type UsageGroup, usageAdvice } from '../../views/report/usage-groups.ts';
import type { TraceEntry } from '../../views/route-trace.ts';
import { visibleText } from '../../views/visible-text.ts';
import {
  endedCount,
  jobCount,
  presentStatuses,
  type WorkflowState,
  workflowState,
} from '../../views/workflow-state.ts';
import { recordLabel } from '../texts/parts/record-label.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { failureCard } from './failure-card.ts';
import { html, Markup } from './html.ts';
import type { ReportFacts } from './report-facts.ts';
import { REPORT_STYLE } from './report-style.ts';
import { attemptsPicture, concurrencyPicture } from './timeline-picture.ts';

const STYLE_HASH = createHash('sha256').update(REPORT_STYLE).digest('base64');
/** No script, no request, one style. A page from a mail has no server that could say this in a header. */
const POLICY = `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; base-uri 'none'; form-action 'none'`;

/** The whole page. Every text in it comes from `facts`, and none of it becomes markup. */
export function reportPage(facts: ReportFacts): string {
  const { workflow } = facts.status;
  const title = `${visibleText(workflow.name)}: report of workflow ${workflow.id}`;
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${new Markup(REPORT_STYLE)}</style>
</head>
<body>
<main>
${head(facts)}
${failures(facts)}
${timeline(facts)}
${resources(facts.usage)}
${routes(facts)}
<p class="quiet">Written by Holdfast ${facts.version} at ${time(facts.written_at_ms)}. Times are in UTC. Secrets are masked as far as they are known.</p>
</main>
</body>
</html>
`.text;
}

const STATE_TONES: Partial<Record<WorkflowState, string>> = {
  completed: 'good',
  failed: 'bad',
  running: 'runs',
  canceled: 'other',
};

function head({ status, written_at_ms }: ReportFacts): Markup {
  const { workflow, counts, started_at_ms, finished_at_ms } = status;
  const state = workflowState(status);
  const took =
    started_at_ms === null
      ? html`It has not started.`
      : html`Started ${time(started_at_ms)}, ${finished_at_ms === null ? 'so far' : 'took'} ${formatDuration((finished_at_ms ?? written_at_ms) - started_at_ms)}.`;
  const owner = [
    workflow.user === null ? null : `user ${visibleText(workflow.user)}`,
    workflow.project === null ? null : `project ${visibleText(workflow.project)}`,
  ].filter((each) => each !== null);
  return html`<h1>${visibleText(workflow.name)}</h1>
<p>Workflow ${workflow.id}, run ${workflow.run_id}: <span class="state ${STATE_TONES[state] ?? 'asks'}">${state}</span>. ${took}</p>
${workflow.description === null ? null : html`<p>${visibleText(workflow.description)}</p>`}
${owner.length === 0 ? null : html`<p class="quiet">${owner.join(', ')}</p>`}
<section class="card" aria-label="Summary">
<p>${endedCount(counts)} of ${jobsCounted(jobCount(counts))} ended; ${attemptsCounted(status.attempts.finished)}.</p>
<ul class="counts">${presentStatuses(counts).map((each) => html`<li><b class="${COUNT_TONES[each] ?? ''}">${counts[each]}</b> ${each === 'pending_failed' ? 'waiting for a decision' : shownStatus(each)}</li>`)}</ul>
</section>`;
}

function attemptsCounted(count: number): string {
  return `${count} ${count === 1 ? 'attempt' : 'attempts'}`;
}

const COUNT_TONES: Readonly<Record<string, string>> = {
  completed: 'good',
  failed: 'bad',
  terminated: 'bad',
  pending_failed: 'asks',
  canceled: 'other',
  running: 'runs',
};

function failures({ groups, more_groups }: ReportFacts): Markup {
  if (groups.length === 0) return html`<h2>Failures</h2><p class="quiet">No job has failed.</p>`;
  const left = more_groups ? html`<p class="quiet">Smaller groups are left out.</p>` : null;
  return html`<h2>Failures, by what they look like</h2>${groups.map(failureCard)}${left}`;
}

function timeline({ timeline }: ReportFacts): Markup {
  const { attempts, bars } = timeline;
  if (attempts === 0) return html`<h2>Timeline</h2><p class="quiet">No attempt has started in this run.</p>`;
  const which =
    bars.length < attempts ? `The ${bars.length} attempts that took longest, of ${attempts}` : 'All attempts';
  return html`<h2>Timeline</h2>
<section class="card"><h3>Attempts at once</h3>${scrolling('Attempts at once', concurrencyPicture(timeline))}</section>
<section class="card"><h3>${which}</h3><ul class="legend"><li class="good">✓ succeeded</li><li class="bad">✗ failed</li><li class="other">– stopped or lost</li><li class="runs">… runs</li></ul>${scrolling(which, attemptsPicture(timeline))}</section>`;
}

/** On a narrow screen a picture is moved sideways, with keys too. */
function scrolling(label: string, picture: Markup): Markup {
  return html`<div class="scroll" role="region" aria-label="${label}" tabindex="0">${picture}</div>`;
}

function resources(usage: readonly UsageGroup[]): Markup {
  if (usage.length === 0)
    return html`<h2>Requested and used</h2><p class="quiet">No attempt has ended yet.</p>`;
  return html`<h2>Requested and used</h2>
<p class="quiet">The most that one job of each kind asked for and used. Kinds are names without their numbers.</p>
<div class="card scroll" role="region" aria-label="Requested and used" tabindex="0"><table class="wide">
<thead><tr><th>Jobs</th><th class="number">Count</th><th class="number">Memory</th><th class="number">Peak</th><th class="number">Limit</th><th class="number">Ran</th><th class="number">CPUs</th><th class="number">Busy</th><th class="advice">Advice</th></tr></thead>
<tbody>${usage.map(usageRow)}</tbody></table></div>`;
}

function usageRow(group: UsageGroup): Markup {
  const advice = usageAdvice(group);
  return html`<tr><td>${visibleText(group.pattern)}</td><td class="number">${group.jobs}</td><td class="number">${size(group.memory_requested_bytes)}</td><td class="number">${size(group.peak_rss_bytes)}</td><td class="number">${duration(group.runtime_limit_ms)}</td><td class="number">${duration(group.ran_ms)}</td><td class="number">${group.cpus_requested ?? '–'}</td><td class="number">${group.cpus_used === null ? '–' : group.cpus_used.toFixed(2)}</td><td class="advice">${advice.length === 0 ? html`<span class="quiet">–</span>` : advice.map((each) => html`<p>${each}</p>`)}</td></tr>
`;
}

function routes({ routes, route_count }: ReportFacts): Markup | null {
  if (route_count === 0) return null;
  const left =
    route_count > routes.length ? html`<p class="quiet">And ${route_count - routes.length} more.</p>` : null;
  return html`<h2>Routes</h2>
<div class="card scroll" role="region" aria-label="Routes" tabindex="0"><table class="wide"><thead><tr><th>Time</th><th>Step</th><th class="number">Attempt</th><th>Route</th><th>Why</th></tr></thead>
<tbody>${routes.map(routeRow)}</tbody></table>${left}</div>`;
}

function routeRow({ at_ms, step, scope, attempt_id, route, to, why }: TraceEntry): Markup {
  const where = to.length === 0 ? route : `${route} ${to.join(', ')}`;
  return html`<tr><td>${time(at_ms)}</td><td>${visibleText(recordLabel({ job_name: step, scope }))}</td><td class="number">${attempt_id}</td><td>${visibleText(where)}</td><td>${visibleText(why)}</td></tr>
`;
}

function time(ms: number): Markup {
  const iso = new Date(ms).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}

const size = (bytes: number | null) => (bytes === null ? '–' : formatSize(bytes));
const duration = (ms: number | null) => (ms === null ? '–' : formatDuration(ms));
