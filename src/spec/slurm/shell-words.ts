/** Splits a text into words as a shell does: blanks separate, quotes and backslashes join. Nothing is expanded. */
export function shellWords(text: string): { words: string[] } | { problem: string } {
  const words: string[] = [];
  let word: string | null = null;
  for (let index = 0; index < text.length; index++) {
    const character = text[index]!;
    if (/\s/.test(character)) {
      if (word !== null) words.push(word);
      word = null;
    } else if (character === '\\') {
      const next = text[++index];
      if (next === undefined) return { problem: 'ends with a backslash' };
      word = (word ?? '') + next;
    } else if (character === "'" || character === '"') {
      const quoted = quotedText(text, index);
      if (quoted === null) return { problem: `has no closing ${character}` };
      word = (word ?? '') + quoted.content;
      index = quoted.end;
    } else {
      word = (word ?? '') + character;
    }
  }
  if (word !== null) words.push(word);
  return { words };
}

function quotedText(text: string, start: number): { content: string; end: number } | null {
  const quote = text[start]!;
  let content = '';
  for (let index = start + 1; index < text.length; index++) {
    const character = text[index]!;
    if (character === quote) return { content, end: index };
    const next = text[index + 1];
    if (quote === '"' && character === '\\' && next !== undefined && '"\\$`'.includes(next)) {
      content += next;
      index += 1;
    } else {
      content += character;
    }
  }
  return null;
}
