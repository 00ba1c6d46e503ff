/** `list[0]/parts[2]` lies in `list[0]`, which lies in the root. */
export function isWithin(scope: string, outer: string): boolean {
  return outer === '' || scope === outer || scope.startsWith(`${outer}/`);
}
