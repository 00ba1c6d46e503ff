import { wrapWords } from './terminal/wrap-words.ts';

/** Where nothing is known of the terminal; as commander has it for options. */
const USUAL_WIDTH = 80;
/** A description that would have less beside its term is continued below it. */
const LEAST_ROOM = 30;
const CONTINUED = ' \\';

/** The width to which `--help` is fitted. */
export function helpWidth(
  { isTTY, columns }: { isTTY?: boolean; columns?: number } = process.stdout,
): number {
  return (isTTY === true && columns) || USUAL_WIDTH;
}

/**
 * Fits details to a terminal, between words: paragraphs are filled again, and a line that is indented is continued below its
 * description. What fits already is left as it is.
 */
export function fitDetails(details: string, width: number): string {
  const fitted: string[] = [];
  let paragraph: string[] = [];
  const endParagraph = () => {
    const fits = paragraph.every((line) => line.length <= width);
    fitted.push(...(fits ? paragraph : wrapWords(paragraph.join(' '), width)));
    paragraph = [];
  };
  for (const line of details.split('\n')) {
    if (/^\S/.test(line)) {
      paragraph.push(line);
      continue;
    }
    endParagraph();
    fitted.push(...(line.length <= width ? [line] : wrapWords(line, width, hangingIndent(line, width))));
  }
  endParagraph();
  return fitted.join('\n');
}

/** A command that is too wide is continued before one of its options, as the shell takes it. */
export function fitExample(example: string, width: number): string {
  const [first = '', ...options] = example.split(/ (?=--[a-z])/);
  const lines = [first];
  for (const option of options) {
    const line = `${lines.at(-1)} ${option}`;
    if (line.length + CONTINUED.length <= width) lines[lines.length - 1] = line;
    else lines.push(`    ${option}`);
  }
  return lines.length === 1 || example.length <= width ? example : lines.join(`${CONTINUED}\n`);
}

/** `  generate SPEC   propose …` is continued below `propose`. */
function hangingIndent(line: string, width: number): string {
  const [, indent = '', term = ''] = /^(\s*)(\S.*?\s{2,})?/.exec(line) ?? [];
  const column = indent.length + term.length;
  return ' '.repeat(width - column < LEAST_ROOM ? indent.length + 4 : column);
}
