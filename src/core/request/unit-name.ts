/** Names of the jobs of a unit begin with this, and an underscore. */
export function unitName(number: number): string {
  return `unit_${String(number).padStart(6, '0')}`;
}

/** The jobs of a unit, by what follows the name of the unit. */
export const processName = (index: number): string => `proc_${String(index).padStart(2, '0')}`;
