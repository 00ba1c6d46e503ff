/** `12,345`, however large. */
export function grouped(number: number | string): string {
  return BigInt(number).toLocaleString('en-GB');
}

/** `1 job`, `12 jobs`. */
export function counted(number: number, thing: string): string {
  return `${grouped(number)} ${thing}${number === 1 ? '' : 's'}`;
}

const SHOWN = 5;

/** `a, b, c and 9 more`. */
export function someOf(names: readonly string[]): string {
  const rest = names.length - SHOWN;
  const shown = names.slice(0, SHOWN).join(', ');
  return rest > 0 ? `${shown} and ${rest.toLocaleString('en-GB')} more` : shown;
}
