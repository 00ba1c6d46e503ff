/** A string of a ClassAd expression, in a submit file, which would expand `$(…)` in it. */
export function classAdString(text: string): string {
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[\x00-\x1f\x7f]/g, ' ');
  return `"${withoutMacros(escaped)}"`;
}

/** A value that a submit file takes as it is written. Line ends cannot be part of one. */
export function submitValue(text: string): string {
  return withoutMacros(text.replace(/[\x00-\x1f\x7f]+/g, ' ').trim());
}

/** `$(`, `$$(`, `$F(`, `$ENV(` … begin macros. */
function withoutMacros(text: string): string {
  return text.replaceAll('$', '$(DOLLAR)');
}

/** A comment, in a submit file, a DAG or a script: one line, which must not continue on the next. */
export function commentLine(text: string): string {
  return `# ${text.replace(/[\x00-\x1f\x7f]+/g, ' ').replace(/\\+$/, '')}`;
}
