/**
 * An isolated job runs in a fresh directory, its post script where it would run without: a relative input is not in the
 * one, a relative output not in the other. Says so of a path that a placeholder stands for; undefined if it is there.
 */
export function outOfSight(
  kind: 'input' | 'output',
  path: string,
  place: 'command' | 'post',
): string | undefined {
  if (path.startsWith('/') || (kind === 'input') !== (place === 'command')) return undefined;
  const where =
    place === 'command'
      ? 'a job with `isolate: true` runs in a fresh directory'
      : 'the post script of a job with `isolate: true` does not run in its fresh directory';
  return `${JSON.stringify(path)} is not where this looks for it, because ${where}; give the file an absolute path`;
}
