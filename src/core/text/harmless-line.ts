const CONTROLS = /[\x00-\x1f\x7f-\x9f]+/g;

/** One line of a foreign text, at most so long: whatever could move a cursor is a space. */
export function harmlessLine(text: string, most: number): string {
  const line = text.replace(CONTROLS, ' ').trim();
  return line.length > most ? `${line.slice(0, most - 1)}…` : line;
}
