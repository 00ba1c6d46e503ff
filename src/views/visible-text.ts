/** Reorders or hides text on a terminal: bidirectional controls, zero-width and line separators. */
const INVISIBLE = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/**
 * Text from specs, jobs and logs on one line, with every control character made visible, so that
 * nothing a job prints can move the cursor or pretend to be a line of ours.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, (char) => {
    const code = char.codePointAt(0)!;
    if (code < 0x20) return String.fromCodePoint(0x2400 + code);
    if (code === 0x7f) return '\u2421';
    return `\\u{${code.toString(16)}}`;
  });
}
