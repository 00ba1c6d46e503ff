/** Why a placeholder is refused, and what to write instead. */
export const REFUSALS = {
  heredoc:
    "a placeholder in a heredoc is refused, because its text is not quoted; write the value with printf '%s\\n' {{ … }} instead",
  backtick: 'a placeholder inside backticks is refused; use $( … ) instead',
  arithmetic:
    'a placeholder in arithmetic is refused, because the shell evaluates values there; compare with [ … -gt … ], or compute with a Liquid filter ({{ x | plus: 1 }})',
  parameter: 'a placeholder inside ${ … } is refused; assign it to a variable first: v={{ … }}',
  escape: 'a backslash directly before a placeholder is refused; remove it, the value is quoted anyway',
  dollar: 'a $ directly before a placeholder is refused; for a dollar sign write \\$',
  code: 'a placeholder in code for eval, let, trap or another shell is refused; pass it as an argument: bash -c \'echo "$1"\' _ {{ … }}',
} as const;

export type Refusal = keyof typeof REFUSALS;
