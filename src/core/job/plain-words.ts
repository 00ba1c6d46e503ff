/** What bash does itself: its builtins and reserved words. */
const DONE_BY_BASH = new Set(
  `. : [ alias bg bind break builtin caller cd command compgen complete compopt continue coproc declare dirs disown
  echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf
  pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask
  unalias unset wait if then else elif fi case esac for select while until do done in function time`.split(
    /\s+/,
  ),
);

/** Characters that mean themselves wherever they stand, and quoted texts in which nothing is expanded. */
const WORD = /(?:[\w@%+=:,./^-]|'[^'\0]*'|"[^"$`\\!\0]*")+/y;
const BLANKS = /[ \t]+/y;
const QUOTED = /'([^']*)'|"([^"]*)"/g;
/** Without quotes, and neither an assignment nor a job of bash (`%1`). */
const PROGRAM = /^[\w@+:,./^-][\w@%+:,./^-]*$/;

/** The words of a command that is one program and its arguments, none of which bash would change; null otherwise. */
export function plainWords(command: string): string[] | null {
  const text = command.replace(/^[ \t\n]+|[ \t\n]+$/g, '');
  const written: string[] = [];
  for (let at = 0; at < text.length; at = BLANKS.lastIndex) {
    WORD.lastIndex = at;
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) return null;
    written.push(word);
    if (WORD.lastIndex === text.length) break;
    BLANKS.lastIndex = WORD.lastIndex;
    if (!BLANKS.test(text)) return null;
  }
  const [program] = written;
  if (program === undefined || !PROGRAM.test(program) || DONE_BY_BASH.has(program)) return null;
  return written.map((word) => word.replace(QUOTED, (_, single, double) => single ?? double));
}
