import { lockWorkflow } from '../../lock-rows.ts';
import { change, type Script } from '../../script.ts';
import { WORKFLOW_TABLES, type WorkflowTable } from './workflow-content.ts';

/** A transaction with this many rows takes some milliseconds. */
const AT_ONCE = 200;

/**
 * How the rows of a workflow are removed, rows that refer to others before those. A step is one transaction, made again
 * until its last statement finds nothing.
 */
const STEPS: readonly (readonly string[])[] = WORKFLOW_TABLES.filter(({ isPart }) => isPart !== true)
  .toReversed()
  .map((table) => [...partsOf(table).map((part) => removalOfPart(part, table)), removalOf(table)]);

function partsOf({ name }: WorkflowTable): WorkflowTable[] {
  return WORKFLOW_TABLES.filter(
    ({ isPart, workflow }) => isPart === true && 'through' in workflow && workflow.table === name,
  );
}

function removalOfPart({ name, workflow }: WorkflowTable, whole: WorkflowTable): string {
  if (!('through' in workflow)) throw new Error(`${name} is no part`);
  return `delete from ${name} where ${workflow.through} in (${someOf(whole)})`;
}

function removalOf(table: WorkflowTable): string {
  const { name, key } = table;
  if (name === 'workflow') return 'delete from workflow where id = ? and storing_until = 1';
  return `delete from ${name} where ${tuple(key)} in (${someOf(table)})`;
}

/** Newest first: an allocation may refer to an older one. Where rows are found through others, in any order. */
function someOf({ name, key, workflow }: WorkflowTable): string {
  const columns = key.map((column) => `${name}.${column}`);
  if ('column' in workflow) {
    return `select ${columns.join(', ')} from ${name} where ${workflow.column} = ? order by ${columns.map((each) => `${each} desc`).join(', ')} limit ${AT_ONCE}`;
  }
  const { through, table, by } = workflow;
  return `select ${columns.join(', ')} from ${name} join ${table} on ${table}.${by} = ${name}.${through}
    where ${table}.workflow_id = ? limit ${AT_ONCE}`;
}

function tuple(names: readonly string[]): string {
  return names.length === 1 ? names[0]! : `(${names.join(', ')})`;
}

/**
 * Removes some rows of a workflow that is hidden, from the step on. Returns the step to continue with; null: nothing is
 * left of it. Several processes may do so at the same time.
 */
export function* removeSome(workflowId: number, step: number): Script<number | null> {
  // Otherwise a statement that waited for the same rows elsewhere finds none, and the next step comes too early.
  yield* lockWorkflow(workflowId);
  for (let index = step; index < STEPS.length; index += 1) {
    let changes = 0;
    for (const statement of STEPS[index]!) changes = yield* change(statement, workflowId);
    if (changes > 0) return index;
  }
  return null;
}
