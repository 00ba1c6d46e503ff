/** Where a value cannot be placed, because the shell would look into it. */
export type Refusal = 'heredoc' | 'backtick' | 'arithmetic' | 'parameter' | 'escape' | 'dollar' | 'code';

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
  }
}

/** The same for a template, which can also compute. */
export function describeTemplateRefusal(refusal: Refusal): string {
  const message = describeRefusal(refusal, '{{ … }}');
  return refusal === 'arithmetic'
    ? `${message}, or compute with a Liquid filter ({{ x | plus: 1 }})`
    : message;
}
