import { attemptOutcome } from '../../views/attempt.ts';
import { visibleText } from '../../views/visible-text.ts';
import { endText, pastText } from '../texts/failures-text.ts';
import { jobsCounted } from '../texts/parts/some-names.ts';
import { html, type Markup } from './html.ts';
import type { ReportedGroup } from './report-facts.ts';

/** One group of failures: how they ended, the end of stderr of one of them, and why that one is where it is. */
export function failureCard(group: ReportedGroup): Markup {
  const { fingerprint, jobs, waiting, sample, past, stderr } = group;
  const waits = waiting === 0 ? null : html`, <span class="asks">${waiting} waiting for a decision</span>`;
  const name = visibleText(sample.name);
  const excerpt =
    stderr.length === 0
      ? html`<p class="quiet">Nothing is kept of stderr of ${name}.</p>`
      : html`<p class="quiet">The end of stderr of ${name}:</p><pre tabindex="0" aria-label="stderr of ${name}">${stderr.join('\n')}</pre>`;
  return html`<section class="card"><h3 class="bad">${endText(group)}</h3>
<p>${jobsCounted(jobs)}${waits}${jobs === 1 ? ': ' : ', such as '}${name} <span class="quiet">(fingerprint ${visibleText(fingerprint)})</span></p>
<p class="quiet">Before: ${pastText(past)}.</p>
${excerpt}${explained(group)}</section>
`;
}

function explained({ explanation }: ReportedGroup): Markup | null {
  if (explanation === null) return null;
  const { headline, next, attempts } = explanation;
  const last = attempts.at(-1);
  const steps = (last?.walk ?? []).map(
    ({ rule, applies, because }) =>
      html`<tr><td class="sign">${applies ? '→' : ''}</td><td class="rule">${rule}</td><td>${visibleText(because)}</td></tr>`,
  );
  const walk =
    last === undefined
      ? null
      : html`<details><summary>Rules for attempt ${last.attempt.attempt_id}: ${visibleText(attemptOutcome(last.attempt))}</summary><table><thead><tr><th>Applies</th><th>Rule</th><th>Because</th></tr></thead><tbody>${steps}</tbody></table></details>`;
  return html`<p>${visibleText(headline)}</p><p>Next: ${visibleText(next)}</p>${walk}`;
}
