/** Where a value cannot be placed, because the shell would look into it. */
export type Refusal =
  | 'heredoc'
  | 'backtick'
  | 'arithmetic'
  | 'parameter'
  | 'escape'
  | 'dollar'
  | 'code'
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
      return 'a placeholder in arithmetic is refused, because the shell evaluates values there; compare with [ … -gt … ]';
    case 'parameter':
      return `a placeholder inside \${ … } is refused; assign it to a variable first: v=${written}`;
    case 'escape':
      return 'a backslash directly before a placeholder is refused; remove it, the value is quoted anyway';
    case 'dollar':
      return 'a $ directly before a placeholder is refused; for a dollar sign write \\$';
    case 'code':
      return `a placeholder in code for eval, let, trap or another shell is refused; pass it as an argument: bash -c 'echo "$1"' _ ${written}`;
    case 'name':
      return 'a placeholder in the name of a variable is refused, because the shell evaluates what is in its brackets; use a fixed name';
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
