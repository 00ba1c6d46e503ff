/** Where a value cannot be placed, because the shell would look into it. */
export type Refusal =
  | 'heredoc'
  | 'backtick'
  | 'arithmetic'
  | 'parameter'
  | 'escape'
  | 'dollar'
  | 'code'
  | 'program'
  | 'option'
  | 'name'
  | 'list'
  | 'redirect';

/** Why a placeholder is refused, and what to write instead; `written` is how such a placeholder looks. */
export function describeRefusal(refusal: Refusal, written: string): string {
  switch (refusal) {
    case 'heredoc':
      return `a placeholder in a heredoc is refused, because its text is not quoted; write the value with printf '%s\\n' ${written} instead`;
    case 'backtick':
      return 'a placeholder inside backticks is refused; use $( … ) instead';
    case 'arithmetic':
      return `a placeholder in arithmetic is refused, and so is one that reaches it through a variable, because the shell evaluates values there; make it a number first, n=$(printf %d ${written}), or compare with [ … -gt … ]`;
    case 'parameter':
      return `a placeholder inside \${ … } is refused; assign it to a variable first: v=${written}`;
    case 'escape':
      return 'a backslash directly before a placeholder is refused; remove it, the value is quoted anyway';
    case 'dollar':
      return 'a $ directly before a placeholder is refused; for a dollar sign write \\$';
    case 'code':
      return `a placeholder in code for eval, let, trap or another shell is refused, and so is one that reaches a shell through a pipe, a variable or a file; pass it as an argument: bash -c 'echo "$1"' _ ${written}`;
    case 'program':
      return `a placeholder in the text of a program (python -c, perl -e, awk, sed, …) is refused, because it would become code; pass it as an argument (python3 -c 'import sys; print(sys.argv[1])' ${written}) or as a variable (awk -v v=${written} …)`;
    case 'option':
      return `a placeholder here could be read as an option that runs a command; write -- in front of it: -- ${written}`;
    case 'name':
      return 'a placeholder in the name of a variable, also as ${!name}, is refused, because the shell evaluates what is in its brackets; use a fixed name';
    case 'list':
      return `a placeholder as the text of an array is refused, because the shell evaluates it; write v=(${written})`;
    case 'redirect':
      return `a placeholder after >& or <& is refused, because the shell expands it twice; write > ${written} 2>&1`;
  }
}

/** The same for a template, which can also compute. */
export function describeTemplateRefusal(refusal: Refusal): string {
  const message = describeRefusal(refusal, '{{ … }}');
  return refusal === 'arithmetic'
    ? `${message}, or compute with a Liquid filter ({{ x | plus: 1 }})`
    : message;
}
