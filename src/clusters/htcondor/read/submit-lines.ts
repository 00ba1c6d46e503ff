/** What a job's macros stand for, as far as it is known. Names in lower case. */
export type MacroValues = ReadonlyMap<string, string>;

/**
 * Where the stderr of a job goes, relative to where its submit file is, or absolute. null: the file does not say, or with
 * macros that only HTCondor can expand.
 */
export function stderrPath(submitText: string, values: MacroValues): string | null {
  const settings = new Map<string, string>();
  for (const line of submitText.replace(/\\\r?\n/g, ' ').split('\n')) {
    const [, name, value] = /^\s*([\w.]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) settings.set(name.toLowerCase(), value!);
  }
  const error = settings.get('error') ?? settings.get('stderr');
  if (error === undefined || error === '') return null;
  const path = expanded(error, settings, values, 0);
  const directory = expanded(settings.get('initialdir') ?? '', settings, values, 0);
  if (path === null || directory === null) return null;
  return directory === '' || path.startsWith('/') ? path : `${directory}/${path}`;
}

const MOST_DEPTH = 10;

function expanded(text: string, settings: MacroValues, values: MacroValues, depth: number): string | null {
  if (depth > MOST_DEPTH) return null;
  let isKnown = true;
  const result = text.replace(/\$\(([\w.]+)(?::([^()]*))?\)/g, (_, name: string, otherwise?: string) => {
    const key = name.toLowerCase();
    const value = values.get(key) ?? settings.get(key) ?? otherwise;
    const inner = value === undefined ? null : expanded(value, settings, values, depth + 1);
    if (inner === null) isKnown = false;
    return inner ?? '';
  });
  return isKnown && !result.includes('$') ? result : null;
}
