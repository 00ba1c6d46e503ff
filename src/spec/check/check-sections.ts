import type { Findings } from '../findings.ts';
import { patternError } from '../pattern.ts';
import { isStandIn } from '../schema/reading/parse-structure.ts';
import type { WorkflowSpec } from '../schema/workflow-schema.ts';
import { didYouMean } from '../suggest.ts';
import { checkFailureRules } from './check-failure-rules.ts';

const NAMED_SECTIONS = [
  'failure_handlers',
  'resource_requirements',
  'slurm_schedulers',
  'user_data',
] as const;

/** Keys that say something about `jobs` only; with `steps` they would be ignored. */
const JOBS_ONLY = [
  'parameters',
  'parameters_file',
  'files',
  'user_data',
  'resource_requirements',
  'limits',
  'jobs_sort_method',
  'execution_config',
] as const;

/** What the sections of a workflow must say beyond their shape. */
export function checkSections(spec: WorkflowSpec, written: object, findings: Findings): void {
  const has = (key: string) => Object.hasOwn(written, key);
  if (has('jobs') && has('steps')) {
    findings.error(['steps'], 'a workflow has either `jobs` or `steps`, not both', { atKey: true });
  } else if (!has('jobs') && !has('steps')) {
    findings.error([], 'there is nothing to run: add `jobs` (a list) or `steps` (an object)');
  }
  if (has('steps') && !has('jobs')) {
    for (const key of JOBS_ONLY) {
      if (spec[key] !== undefined)
        findings.error([key], `\`${key}\` is for \`jobs\`; steps do not use it`, { atKey: true });
    }
  } else if (has('jobs') && spec.order === 'written') {
    findings.error(['order'], '`order: written` is for `steps`; jobs say it with `depends_on`', {
      atKey: true,
    });
  }
  for (const section of NAMED_SECTIONS) checkUniqueNames(section, spec[section] ?? [], findings);
  checkFailureRules(spec, written, findings);
  checkActions(spec, findings);
}

function checkUniqueNames(
  section: string,
  entries: { name?: string | undefined }[],
  findings: Findings,
): void {
  const first = new Map<string, number>();
  for (const [index, { name }] of entries.entries()) {
    if (name === undefined || isStandIn(name)) continue;
    const known = first.get(name);
    if (known === undefined) first.set(name, index);
    else
      findings.error([section, index, 'name'], `the name "${name}" is already used by ${section}[${known}]`);
  }
}

function checkActions(spec: WorkflowSpec, findings: Findings): void {
  const schedulers = new Set(spec.slurm_schedulers?.map(({ name }) => name));
  for (const [index, action] of (spec.actions ?? []).entries()) {
    const path = ['actions', index];
    if (
      action.scheduler !== undefined &&
      action.scheduler_type !== 'local' &&
      !schedulers.has(action.scheduler)
    ) {
      findings.error(
        [...path, 'scheduler'],
        `\`slurm_schedulers\` have no "${action.scheduler}"${didYouMean(action.scheduler, schedulers)}`,
      );
    }
    for (const [position, pattern] of (action.job_name_regexes ?? []).entries()) {
      const problem = patternError(pattern);
      if (problem) findings.error([...path, 'job_name_regexes', position], problem);
    }
    if (action.action_type === 'run_commands' && !action.commands?.length) {
      findings.error(path, '`run_commands` needs `commands`');
    }
  }
}
