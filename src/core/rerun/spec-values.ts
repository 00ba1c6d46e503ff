import { formatDuration } from '../text/quantity.ts';
import type { JobField } from './field-kinds.ts';

/** Fields that specs spell in another way. */
const KEYS: Partial<Record<JobField, string>> = {
  condition: 'if',
  for_each: 'forEach',
  failed_outputs: 'keep_failed_outputs',
  timeout_ms: 'timeout',
  deadline_ms: 'deadline',
  scheduling_timeout_ms: 'scheduling_timeout',
  end_signal: 'termination_signal',
};

const KEPT_OUTPUTS: Readonly<Record<string, unknown>> = { in_place: true, removed: false };

export function specKeyOf(field: JobField): string {
  return KEYS[field] ?? field;
}

/** The old and the new value of a field as a spec has them. */
export function specValuesOf(field: JobField, [from, to]: [unknown, unknown]): [unknown, unknown] {
  if (field === 'failed_outputs') return [keptOutputs(from), keptOutputs(to)];
  if (!field.endsWith('_ms')) return [from, to];
  const texts: [unknown, unknown] = [durationText(from), durationText(to)];
  // Long durations are rounded.
  return texts[0] === texts[1] ? [`${from}ms`, `${to}ms`] : texts;
}

function keptOutputs(value: unknown): unknown {
  return KEPT_OUTPUTS[String(value)] ?? value;
}

function durationText(value: unknown): unknown {
  return typeof value === 'number' ? formatDuration(value) : value;
}
