/** What RE2's library says, by its beginning, and how we say it; `$` stands for the part of the pattern it names. */
const WORDS: [RegExp, string][] = [
  [/missing closing \]/, 'a ] is missing$'],
  [/missing closing \)|unclosed/, 'a ) is missing'],
  [/unexpected \)/, 'there is a ) without its ('],
  [/missing argument to repetition/, '$ has nothing before it to repeat'],
  [/nested repetition/, '$ repeats a repetition; put the inner one into ( )'],
  [/repeat count|repetition size|repeat/, '$ is not a possible number of repetitions (at most 1000)'],
  [/escape at end|trailing backslash/, 'it ends with a single backslash'],
  [/escape sequence/, '$ is not an escape sequence'],
  [/class range/, '$ is not a range or class of characters'],
  [/character class/, '$ is not a class of characters'],
  [/duplicate/, 'two groups have the same name$'],
  [/named capture|group name/, '$ is not a named group, which is (?P<name>…); RE2 has no lookbehind'],
  [/perl/i, '$ is incomplete or not part of RE2, which has no lookaround'],
  [/too large|nests too deeply|too deep/, 'it is too large'],
];

/** Why a pattern cannot be used, from the library's message. */
export function patternMistake(message: string): string {
  const part = /: `([\s\S]*)`$/.exec(message)?.[1];
  for (const [said, words] of WORDS) {
    if (!said.test(message)) continue;
    const [first, rest] = words.split('$');
    if (rest === undefined) return words;
    if (part === undefined) return words.replace(/^\$ /, 'a part ').replace('$', '');
    return first === '' ? `${quoted(part)}${rest}` : `${first} in ${quoted(part)}${rest}`;
  }
  return 'it cannot be read';
}

function quoted(part: string): string {
  return `"${part.length > 40 ? `${part.slice(0, 37)}...` : part}"`;
}
