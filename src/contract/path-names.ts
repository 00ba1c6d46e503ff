/** The names of the parameters in a path such as `/jobs/{job_id}`, in order. */
export type NamesIn<P extends string> = P extends `${string}{${infer N}}${infer More}`
  ? [N, ...NamesIn<More>]
  : [];

export function namesIn(path: string): string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
}
