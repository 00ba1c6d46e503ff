import type { SpecCheck } from '../../src/contract/records/overview.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Card, Section } from '../parts/section.tsx';
import { counted, someOf } from '../parts/words.ts';

/** In which order the jobs would run, in groups. */
export function PlanPreview({ check }: { check: SpecCheck }) {
  const { name, jobs, groups, left_off, notes } = check;
  const planned = groups.filter(({ on_call }) => !on_call);
  const waves = [...new Set(planned.map(({ wave }) => wave))];
  const onCall = groups.filter(({ on_call }) => on_call);
  const parts = [
    ...waves.map((wave) => ({
      title: wave === 1 ? 'Starts at once' : `Wave ${wave}`,
      groups: planned.filter((group) => group.wave === wave),
    })),
    ...(onCall.length > 0 ? [{ title: 'When a route calls', groups: onCall }] : []),
  ];
  return (
    <Section title={`Plan: ${visibleText(name ?? '')}, ${counted(jobs, 'job')}`}>
      <Card>
        <ol aria-label="Plan" className="max-h-96 divide-y divide-line overflow-y-auto text-sm">
          {parts.map(({ title, groups: members }) => (
            <li key={title} className="grid gap-x-4 gap-y-1 px-4 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
              <span className="text-quiet">{title}</span>
              <ul className="flex flex-col gap-1">
                {members.map(({ label, jobs: count, after }) => (
                  <li key={label} className="wrap-anywhere">
                    <span className="font-medium">{visibleText(label)}</span>
                    {count > 1 && (
                      <span className="ml-2 text-quiet tabular-nums">{counted(count, 'job')}</span>
                    )}
                    {after.length > 0 && (
                      <span className="ml-2 text-quiet">after {visibleText(someOf(after))}</span>
                    )}
                  </li>
                ))}
              </ul>
            </li>
          ))}
        </ol>
      </Card>
      {left_off > 0 && <p className="mt-2 text-sm text-quiet">and {counted(left_off, 'more group')}</p>}
      {notes.length > 0 && (
        <ul aria-label="Notes" className="mt-2 text-sm text-quiet">
          {notes.map(({ line, path, message }) => (
            <li key={`${line} ${path} ${message}`}>
              line {line}: {visibleText(`${path}: ${message}`)}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
