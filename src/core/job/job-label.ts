/** How a job is identified: its name, and in a forEach item the scope too, as in `p@list[0]`. */
export function jobLabel({ name, scope }: { name: string; scope: string }): string {
  return scope === '' ? name : `${name}@${scope}`;
}
