/** Deeper than anything that means something, and not so deep that walking it is a danger. */
export const DEEPEST = 200;
export const TOO_DEEP = `nested more than ${DEEPEST} levels deep`;

/** Whether data has more levels than that. Looks without recursion: a call stack ends before the data does. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > DEEPEST) return true;
    const next: unknown[] = [];
    for (const each of level) {
      if (typeof each !== 'object' || each === null) continue;
      for (const part of Object.values(each)) if (typeof part === 'object' && part !== null) next.push(part);
    }
    level = next;
  }
  return false;
}
