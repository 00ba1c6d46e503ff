import { writeFileSync } from 'node:fs';
import { proposeSchedulers } from '../../../core/allocation/propose-schedulers.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { readKind } from '../../../spec/read-kind.ts';
import { addSections, sectionsText } from '../../../spec/slurm/add-sections.ts';
import { readSource } from '../../../spec/source/read-source.ts';
import type { Command } from '../../command-context.ts';
import { loadSpecText, readSpecText, type SpecText, valid } from '../../read-spec.ts';
import { partitionOffers } from '../../slurm/partition-offers.ts';
import { groupsOfModel, proposedSections } from '../../slurm/propose-sections.ts';
import { type Generated, generatedView } from '../../texts/slurm/proposals-text.ts';

/** Proposes schedulers and schedule actions for a spec. Writes nothing without --out. */
export const generateCommand: Command = async (context, { args, options }) => {
  const path = args[0]!;
  const spec = readSpecText(path);
  if (readKind(spec.text, spec.name) === 'request') {
    throw invalid(path, 'is a request; allocations are for workflows');
  }
  const { model } = valid(loadSpecText(spec, context.origins));
  const taken = model.schedulers?.map(({ name }) => name) ?? [];
  if (taken.length > 0) {
    throw invalid(
      path,
      `has slurm_schedulers already (${taken.join(', ')}); take them out for a new proposal`,
    );
  }
  const account = typeof options.account === 'string' ? options.account : null;
  if (account === null && !hasDefaultAccount(spec)) {
    throw invalid(
      '--account',
      'name the account to charge, or write slurm_defaults: {account: NAME} in the spec',
    );
  }
  const { partitions, source } = await partitionOffers(context);
  const partition = typeof options.partition === 'string' ? options.partition : null;
  const { proposals, problems } = proposeSchedulers(groupsOfModel(model), { partitions, partition, taken });
  if (problems.length > 0) throw invalid(path, problems.join('\n'));
  const sections = proposedSections(
    proposals,
    account,
    model.jobs.map(({ name }) => name),
  );
  const whole = addSections(spec.text, spec.name, sections);
  const text = whole ?? sectionsText(sections, spec.name);
  const file = typeof options.out === 'string' ? options.out : null;
  if (file !== null && whole === null) {
    throw invalid(
      '--out',
      'the spec cannot be completed without losing comments; without --out the sections are printed',
    );
  }
  if (file !== null) writeFileSync(file, text);
  for (const { name, because } of proposals) {
    for (const line of because) context.narrate(`${name}: ${line}`);
  }
  if (whole === null) context.narrate('these sections are to be put into the spec by hand');
  const generated: Generated = { file, source, complete: whole !== null, text, sections, proposals };
  context.show(generatedView, generated);
  if (file !== null) context.narrate(`next: ${context.command('slurm', 'plan', file)}`);
  return 0;
};

function hasDefaultAccount({ text, name }: SpecText): boolean {
  const source = readSource(text, name);
  const written = source.ok ? (source.value as { slurm_defaults?: Record<string, unknown> }) : {};
  return Object.keys(written.slurm_defaults ?? {}).some((key) => key === 'account' || key === 'A');
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
