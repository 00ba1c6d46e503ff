import { shellWord } from '../../../core/text/shell-word.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { View } from '../../terminal/view.ts';

/** A DAG directory that was written. */
export interface ExportedDag {
  directory: string;
  dag: string;
  name: string;
  /** null: a workflow has none. */
  units: number | null;
  jobs: number;
  files: number;
}

export const exportedDagView: View<ExportedDag> = {
  json: (dag) => dag,
  table: ({ directory, dag, name, units, jobs, files }) => [
    visibleText(
      `${name}: ${units === null ? '' : `${counted(units, 'unit')}, `}${counted(jobs, 'job')}, ${files} files in ${directory}`,
    ),
    `submit it with: cd ${shellWord(visibleText(directory))} && condor_submit_dag ${dag}`,
  ],
  quiet: ({ directory }) => [directory],
};

function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}
