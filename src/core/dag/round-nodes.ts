/** Where a job of a round is in its DAG directory. */
export interface RoundNode {
  /** Directory and name of the unit, such as `u000001`. */
  unit: string;
  /** Such as `proc_000001`, `merge` or `cleanup`. */
  node: string;
}

/** Names of the jobs of a unit; see core/request/unit-name.ts. */
const UNIT_JOB = /^unit_(\d+)_(?:proc_(\d+)|(merge|cleanup))$/;

/** null: it is not a job of a unit. */
export function roundNode(job: string): RoundNode | null {
  const [, unit, process, other] = UNIT_JOB.exec(job) ?? [];
  if (unit === undefined) return null;
  return { unit: unitDirectory(Number(unit)), node: other ?? `proc_${sixDigits(Number(process))}` };
}

/** Of the directory and DAG of a unit. */
export const unitDirectory = (number: number): string => `u${sixDigits(number)}`;

const sixDigits = (number: number) => String(number).padStart(6, '0');
