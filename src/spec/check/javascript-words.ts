const WORDS: [RegExp, string][] = [
  [/Unterminated string/, 'a text in quotes is not closed'],
  [/Unterminated template/, 'a text in backticks is not closed'],
  [/Unterminated regular expression/, 'a regular expression is not closed'],
  [/Unterminated comment/, 'a comment is not closed'],
  [/regular expression/i, 'a regular expression is not valid'],
  [/has already been declared|Duplicate|already declared/i, 'a name is declared twice'],
  [/Assigning to|Binding|assign/i, 'a value is assigned to what is no variable'],
  [/number|numeric|Octal|Identifier directly after/i, 'a number is not valid'],
  [/escape/i, 'an escape sequence is not valid'],
  [/import|export/, 'modules cannot be used here'],
  [/await|yield|async/, 'async code cannot be used here'],
  [/break|continue|label/i, 'a break, continue or label has nothing to refer to'],
  [/catch or finally/, 'a try has neither catch nor finally'],
  [/strict mode/, 'is not allowed in strict mode'],
];

/** What is wrong with JavaScript, from the parser's message and where it stopped. */
export function javascriptWords(message: string, code: string, offset: number): string {
  const words = WORDS.find(([said]) => said.test(message))?.[1];
  if (words !== undefined) return words;
  const next = /^\s*([\w$]{1,30}|\|\||&&|=>|\?\?|[=!<>]=+|[^\s\w])/u.exec(
    code.slice(offset, offset + 100),
  )?.[1];
  return next === undefined ? 'it cannot be read from here on' : `"${next}" is not expected here`;
}
