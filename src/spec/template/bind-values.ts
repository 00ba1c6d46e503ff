/** A value as a command gets it: a text as it is, everything else as compact JSON. Throws where that cannot be. */
export function valueText(value: unknown): string {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  if (text.includes('\0'))
    throw new Error('the value contains a NUL character, which a command cannot be given');
  if (/\p{Surrogate}/u.test(text))
    throw new Error('the value contains half of a character (a lone surrogate), which has no bytes');
  return text;
}

/** The lines at the top of a script that give marker 1 the first value, and so on. */
export function assignments(values: readonly (string | readonly string[])[]): string {
  return values
    .map((value, index) =>
      typeof value === 'string'
        ? `HF_${index + 1}=${shellQuote(value)}\n`
        : listAssignment(`HF_${index + 1}`, value),
    )
    .join('');
}

/** Bash starts with an IFS that begins with a blank, so that the text has its items separated by blanks. */
function listAssignment(name: string, items: readonly string[]): string {
  return `${name}=(${items.map(shellQuote).join(' ')})\n${name}_TEXT="\${${name}[*]}"\n`;
}

function shellQuote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
