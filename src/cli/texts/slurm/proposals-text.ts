import type { SchedulerProposal } from '../../../core/allocation/propose-schedulers.ts';
import type { SlurmSections } from '../../../spec/slurm/add-sections.ts';
import type { View } from '../../terminal/view.ts';

/** What `slurm generate` proposes. */
export interface Generated {
  /** Where it was written; null: only printed. */
  file: string | null;
  /** Where the partitions are from. */
  source: string;
  /** `text` is the whole spec, not only its new sections. */
  complete: boolean;
  text: string;
  sections: SlurmSections;
  proposals: SchedulerProposal[];
}

export const generatedView: View<Generated> = {
  json: ({ file, source, complete, text, sections, proposals }) => ({
    file,
    source,
    complete,
    ...sections,
    because: proposals.map(({ name, because }) => ({ scheduler: name, lines: because })),
    text,
  }),
  table: ({ file, text }) => (file === null ? [text.trimEnd()] : [`wrote ${file}`]),
  quiet: ({ proposals }) => proposals.map(({ name }) => name),
};
