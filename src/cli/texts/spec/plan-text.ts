import { namePattern } from '../../../core/text/name-pattern.ts';
import type { Plan, PlannedJob } from '../../../views/graph/plan.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';

/** Above this many jobs, those that look alike are shown as one, and only the first waves are shown. */
const JOBS_SHOWN_ONE_BY_ONE = 40;
const WAVES_SHOWN = 30;
const NAMES_SHOWN = 5;
const CONTINUED = '    ';

/** `all`: in full, however many jobs there are. */
export interface ShownPlan {
  plan: Plan;
  all: boolean;
}

export const planView: View<ShownPlan> = {
  json: ({ plan }) => plan,
  table: planText,
  quiet: ({ plan }) => plan.waves.flatMap((wave) => wave.map(({ name }) => name)),
};

function planText({ plan, all }: ShownPlan, style: TextStyle): string[] {
  const brief = !all && plan.jobs > JOBS_SHOWN_ONE_BY_ONE;
  const shown = brief ? plan.waves.slice(0, WAVES_SHOWN) : plan.waves;
  const lines = [
    `workflow ${style.paint('bold', visibleText(plan.name))}: ${count(plan.jobs, 'job')} in ${count(plan.waves.length, 'wave')}`,
  ];
  for (const [index, wave] of shown.entries()) {
    const when = index === 0 ? 'starts at once' : `after wave ${index}`;
    lines.push('', style.paint('dim', `wave ${index + 1}: ${count(wave.length, 'job')}, ${when}`));
    const listed = brief ? alike(wave) : wave.map((job) => ({ label: job.name, reason: reasonOf(job) }));
    for (const { label, reason } of listed) {
      const text = visibleText(`  ${label}${reason === '' ? '' : `  ${reason}`}`);
      lines.push(...wrapWords(text, style.width, CONTINUED));
    }
  }
  const hidden = plan.waves.length - shown.length;
  if (hidden > 0) lines.push('', `and ${count(hidden, 'more wave')}; --all shows everything`);
  lines.push(...onCallLines(plan, brief, style));
  const { schedulers = [], notify = [] } = plan;
  if (schedulers.length > 0) lines.push('', ...schedulers.map(visibleText));
  if (notify.length > 0) lines.push('', ...notify.map(visibleText));
  return lines;
}

/** Jobs outside of the waves, with what calls them; those that look alike as one where there are many. */
function onCallLines({ on_call }: Plan, brief: boolean, style: TextStyle): string[] {
  if (on_call.length === 0) return [];
  const listed = new Set(
    on_call.map(({ name, called_by }) => {
      const callers = brief ? [...new Set(called_by.map(namePattern))] : called_by;
      const label = brief ? namePattern(name) : name;
      return `  ${label}${callers.length === 0 ? '' : `  called by ${some(callers)}`}`;
    }),
  );
  const head = style.paint('dim', `on call: ${count(on_call.length, 'job')}, when a route calls`);
  return ['', head, ...[...listed].flatMap((line) => wrapWords(visibleText(line), style.width, CONTINUED))];
}

/** Jobs of a wave with the same pattern of name and reason, as one line with their number. */
function alike(wave: PlannedJob[]): { label: string; reason: string }[] {
  const groups = new Map<string, { label: string; reason: string; jobs: PlannedJob[] }>();
  // Jobs behind a barrier share one long array; its patterns are found once.
  const patterns = new Map<string[], string[]>();
  for (const job of wave) {
    const label = namePattern(job.name);
    const waitsFor = patterns.get(job.waits_for) ?? [...new Set(job.waits_for.map(namePattern))];
    patterns.set(job.waits_for, waitsFor);
    const because = job.because.map(({ kind, via }) => ({ kind, via: namePattern(via) }));
    const reason = reasonOf({ waits_for: waitsFor, because });
    const key = `${label}\n${reason}`;
    const group = groups.get(key);
    if (group) group.jobs.push(job);
    else groups.set(key, { label, reason, jobs: [job] });
  }
  return [...groups.values()].map(({ label, reason, jobs }) =>
    jobs.length === 1
      ? { label: jobs[0]!.name, reason: reasonOf(jobs[0]!) }
      : { label: `${label} (${count(jobs.length, 'job')})`, reason },
  );
}

/** `after prepare, load_1 (depends_on, file data.csv)`. */
function reasonOf({ waits_for, because }: Pick<PlannedJob, 'waits_for' | 'because'>): string {
  if (waits_for.length === 0) return '';
  const listed = because.map(({ kind, via }) =>
    kind === 'depends_on' || kind === 'written order' ? kind : `${kind} ${via}`,
  );
  const reasons = some([...new Set(listed)]);
  return `after ${some(waits_for)}${reasons === '' ? '' : ` (${reasons})`}`;
}

function some(names: string[]): string {
  const rest = names.length - NAMES_SHOWN;
  return rest > 0 ? `${names.slice(0, NAMES_SHOWN).join(', ')} and ${rest} more` : names.join(', ');
}

function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
