import type { EventRecord } from '../../contract/records/records.ts';
import { formatDuration, formatSize } from '../../core/text/quantity.ts';
import { allocationEventText } from './allocation-event-text.ts';
import { dagEventText } from './dag-event-text.ts';

/** What was decided or changed, with what the reason alone does not say. */
export function eventText(event: EventRecord): string | null {
  const { type, reason, data } = event;
  const text = allocationEventText(event) ?? dagEventText(type, data);
  if (text !== null) return text;
  if (type === 'workflow_imported') return `it was workflow ${data.workflow_id} in ${data.cwd}`;
  const more = type === 'decision' || type === 'resources_changed' ? changes(data) : [];
  if (type === 'decision' && typeof data.confidence === 'number') more.push(`confidence ${data.confidence}`);
  return more.length === 0 ? reason : `${reason} (${more.join(', ')})`;
}

function changes({ memory_bytes, runtime_ms }: Record<string, unknown>): string[] {
  return [...change('memory', memory_bytes, formatSize), ...change('runtime', runtime_ms, formatDuration)];
}

/** A value, or what it was and what it became. */
function change(name: string, value: unknown, format: (value: number) => string): string[] {
  if (typeof value === 'number') return [`${name} ${format(value)}`];
  if (typeof value !== 'object' || value === null) return [];
  const { from, to } = value as { from?: unknown; to?: unknown };
  if (typeof to !== 'number') return [];
  return [`${name} ${typeof from === 'number' ? format(from) : 'unlimited'} → ${format(to)}`];
}
