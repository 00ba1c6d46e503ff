/** `run.json` of a DAG directory: what it was made from, and which run of it is under way. */
export interface RunFile {
  format: 1;
  kind: 'round' | 'workflow';
  name: string;
  /** null for a workflow. */
  request: { name: string; version: number; round: number } | null;
  /** The outermost DAG, the only one that is submitted. */
  dag: string;
  /** From 1; one more with each rescue. */
  run: number;
  /** Names of the nodes of the outermost DAG: units of a round, jobs of a workflow. */
  units: string[];
  /** Attribute of machines that names their site. */
  site_attribute: string;
}

export const RUN_FILE = 'run.json';

/** null: the text is no `run.json` of ours. */
export function readRunFile(text: string): RunFile | null {
  try {
    const value = JSON.parse(text) as Partial<RunFile> | null;
    const isOurs =
      typeof value === 'object' &&
      value !== null &&
      value.format === 1 &&
      typeof value.dag === 'string' &&
      Number.isInteger(value.run) &&
      Array.isArray(value.units);
    return isOurs ? (value as RunFile) : null;
  } catch {
    return null;
  }
}

/**
 * The number of the run that is under way: DAGMan leaves `DAG.rescueNNN` at the end of each run that was not complete, so
 * that it is one more than the newest, even where a person submitted the DAG again and `run.json` is as it was.
 */
export function currentRun({ run, dag }: Pick<RunFile, 'run' | 'dag'>, names: readonly string[]): number {
  return Math.max(run, newestRescue(names, dag) + 1);
}

/** The highest number of a rescue file; 0: there is none. */
export function newestRescue(names: readonly string[], dag: string): number {
  let newest = 0;
  for (const name of names) {
    const [, number] = name.startsWith(`${dag}.rescue`)
      ? (/^(\d{3,})$/.exec(name.slice(dag.length + '.rescue'.length)) ?? [])
      : [];
    if (number !== undefined) newest = Math.max(newest, Number(number));
  }
  return newest;
}

export const rescueFile = (dag: string, number: number): string =>
  `${dag}.rescue${String(number).padStart(3, '0')}`;
