/** A word as a shell takes it: quoted where it has more than plain characters. A shell leaves `{job}` as it is. */
export function shellWord(word: string): string {
  return /^(?:[\w@%+=:,./-]+|\{\w+\})$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
