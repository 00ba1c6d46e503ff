/** What the jobs of a sweep have in common: `train_012` and `train_7` are both `train_*`. */
export function namePattern(name: string): string {
  return name.replace(/\d+(\.\d+)?/g, '*');
}
