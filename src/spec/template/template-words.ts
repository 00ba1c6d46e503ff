/** What Liquid's library says, and how we say it. */
const WORDS: [RegExp, (match: RegExpExecArray) => string][] = [
  [/^output [\s\S]* not closed/, () => '{{ is not closed; a }} is missing'],
  [/^raw [\s\S]* not closed/, () => '{% raw %} has no {% endraw %}'],
  [/^tag "[\s\S]* not closed/, () => '{% is not closed; a %} is missing'],
  [/^tag (\{%-? *(\w+)[\s\S]*) not closed/, ([, tag, name]) => `${tag} has no {% end${name} %}`],
  [/^undefined filter: ([\s\S]*)/, ([, name]) => `there is no filter "${name}"`],
  [/^undefined variable: ([\s\S]*)/, ([, name]) => `"${name}" does not exist`],
  [/^invalid value expression/, () => 'a value is missing, or cannot be read'],
  [/before filter/, () => 'something follows the value; == compares, and a filter begins with |'],
  [/filter name/, () => 'the name of a filter is missing after |, or : after its name'],
  [/tag syntax/, () => 'the name of a tag is missing after {%'],
  [/^illegal tag: (\{%-? *for\b[\s\S]*)/, ([, tag]) => `${tag}: write {% for item in list %}`],
  [/^illegal tag: ([\s\S]*)/, ([, tag]) => `${tag} is incomplete`],
  [/expected variable name|expected "="/, () => 'write {% assign name = value %}'],
  [/\[ not closed/, () => 'a ] is missing'],
  [/range syntax|parentheses/, () => 'a range is written (1..5)'],
  [/else/, () => 'there is a second else, or an elsif after it'],
  [/inline comment/, () => 'every line of a {% # … %} begins with #'],
  [/alloc limit/, () => 'it takes too much memory'],
  [/render limit/, () => 'it takes too long'],
  [/length limit/, () => 'it is too long'],
];

/** What is wrong with a template, from the library's message; `written` is the part of it. */
export function templateWords(message: string, written: string | undefined): string {
  for (const [said, words] of WORDS) {
    const match = said.exec(message);
    if (match) return words(match);
  }
  return written === undefined ? 'it cannot be read' : `${written} cannot be used like this`;
}
