import type { JobConfig } from '../model/workflow-model.ts';
import type { EditedWorkflow, StoredWorkflow } from './edited-workflow.ts';
import { canonical } from './field-kinds.ts';
import type { RerunReason } from './rerun-reason.ts';

/** Values that jobs read when they start, and that the edited spec changes. */
export interface ChangedValues {
  variables: string[];
  /** Names of user data whose value is another one now. */
  userData: ReadonlySet<string>;
}

export function changedValues(stored: StoredWorkflow, edited: EditedWorkflow): ChangedValues {
  const before = JSON.parse(stored.head.variables) as Record<string, unknown>;
  const after = JSON.parse(edited.head.variables) as Record<string, unknown>;
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const known = new Map(stored.userData.map((value) => [value.name, value]));
  return {
    variables: [...names].filter((name) => canonical(before[name]) !== canonical(after[name])),
    userData: new Set(
      edited.userData
        .filter(({ name, data }) => {
          const row = known.get(name);
          return row !== undefined && row.initial !== data && row.data !== data && isOwnValue(row, edited);
        })
        .map(({ name }) => name),
    ),
  };
}

/** Whether the value comes from the spec or a user, and not from a job that sets it. */
function isOwnValue(
  row: { name: string; initial: string | null; data: string | null },
  { jobs }: EditedWorkflow,
): boolean {
  if (row.data === row.initial) return true;
  return !jobs.some(
    ({ config }) =>
      config.includes(JSON.stringify(row.name)) &&
      ((JSON.parse(config) as Partial<JobConfig>).user_data?.outputs ?? []).includes(row.name),
  );
}

/** The first changed value that the job reads; null: none. */
export function readsChanged(text: string, { variables, userData }: ChangedValues): RerunReason | null {
  if (userData.size > 0 && text.includes('"user_data"')) {
    const { user_data } = JSON.parse(text) as Partial<JobConfig>;
    const name = user_data?.inputs.find((input) => userData.has(input));
    if (name !== undefined) return { kind: 'user_data_changed', name };
  }
  if (variables.length === 0 || !text.includes('variables')) return null;
  const { command = '', template = false, condition } = JSON.parse(text) as Partial<JobConfig>;
  const texts = [...(template ? (command.match(LIQUID) ?? []) : []), ...(condition ? [condition] : [])];
  const name = variables.find((variable) => texts.some((part) => mentions(part, variable)));
  return name === undefined ? null : { kind: 'variable_changed', name };
}

const LIQUID = /\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}/g;

/** A name that is computed may be any. */
function mentions(text: string, variable: string): boolean {
  if (!text.includes('variables')) return false;
  if (/variables\s*\[\s*[^\s'"\]]/.test(text)) return true;
  const escaped = variable.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`(?<![\\w$])${escaped}(?![\\w$])`).test(text);
}
