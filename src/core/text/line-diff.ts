/** Longer texts are compared by their first lines. */
const MOST_LINES = 200;
/** More lines of a difference than this are counted. */
const MOST_SHOWN = 20;
const MOST_WIDTH = 200;

/** Lines that are different, as `- old` and `+ new`, in order; at most some, and then how many more. */
export function lineDiff(before: string, after: string): string[] {
  const [a, b] = [before.split('\n'), after.split('\n')];
  const [old, now] = [a.slice(0, MOST_LINES), b.slice(0, MOST_LINES)];
  const lengths = commonLengths(old, now);
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      i += 1;
      j += 1;
    } else if (j >= now.length || (i < old.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) {
      lines.push(`- ${cut(old[i]!)}`);
      i += 1;
    } else {
      lines.push(`+ ${cut(now[j]!)}`);
      j += 1;
    }
  }
  if (lines.length === 0) return ['they differ after the first 200 lines'];
  const more = lines.length - MOST_SHOWN;
  return more > 0 ? [...lines.slice(0, MOST_SHOWN), `and ${more} more lines`] : lines;
}

/** `[i][j]`: how many lines `a` from `i` and `b` from `j` have in common at most, in order. */
function commonLengths(a: readonly string[], b: readonly string[]): number[][] {
  const lengths = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i]![j] =
        a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
    }
  }
  return lengths;
}

function cut(line: string): string {
  return line.length > MOST_WIDTH ? `${line.slice(0, MOST_WIDTH)} …` : line;
}
