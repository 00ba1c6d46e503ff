import type { BodyOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { SpecCheck } from '../../contract/records/overview.ts';
import { plannedGroups } from '../../core/model/planned-groups.ts';
import { groupProblems } from '../../spec/check/group-policy.ts';
import { notifyProblems } from '../../spec/notify/notify-policy.ts';
import type { Problem } from '../../spec/problem.ts';
import { readKind } from '../../spec/read-kind.ts';
import { loadRequest } from '../../spec/request/load-request.ts';
import { sentFiles } from '../../spec/spec-files.ts';
import { readBody } from '../requests/read-request.ts';
import { parseJson, readSubmittedSpec, sourceOf, type UpdateSubmission } from './read-submission.ts';

const MOST_PLACES = 100;
const MOST_GROUPS = 300;

export type CheckSubmission = Pick<
  UpdateSubmission,
  'text' | 'limits' | 'retryDefaults' | 'notify' | 'groups'
>;

/** What is wrong with a spec, or what it would become. Nothing is stored. */
export function checkSubmittedSpec({ text, ...settings }: CheckSubmission): SpecCheck {
  const body = readBody(endpoints.checkSpec, parseJson(text)) as BodyOf<typeof endpoints.checkSpec>;
  const source = sourceOf(body);
  const kind = readKind(source.text, source.name);
  const nothing = { name: null, jobs: 0, warnings: [], notes: [], groups: [], left_off: 0 };
  if (kind === 'request') {
    const files = sentFiles(source.files ?? { texts: {}, lists: {} });
    const loaded = loadRequest(source.text, source.name, files, source.set);
    const problems = loaded.ok
      ? [
          ...notifyProblems(source, loaded.model.notify ?? [], settings.notify),
          ...groupProblems(source, loaded.model.access_groups ?? [], settings.groups),
        ]
      : loaded.problems;
    if (!loaded.ok || problems.length > 0) {
      return { ...nothing, kind, valid: false, problems: places(problems) };
    }
    const { model, warnings, notes } = loaded;
    return {
      ...nothing,
      kind,
      valid: true,
      name: model.name,
      problems: [],
      warnings: places(warnings),
      notes: places(notes),
    };
  }
  const loaded = readSubmittedSpec(source, settings);
  if (!loaded.ok) return { ...nothing, kind, valid: false, problems: places(loaded.problems) };
  const { model, warnings, notes } = loaded;
  const groups = plannedGroups(model);
  return {
    kind,
    valid: true,
    name: model.name,
    jobs: model.jobs.length,
    problems: [],
    warnings: places(warnings),
    notes: places(notes),
    groups: groups
      .slice(0, MOST_GROUPS)
      .map(({ after, ...group }) => ({ ...group, after: after.slice(0, MOST_PLACES) })),
    left_off: Math.max(0, groups.length - MOST_GROUPS),
  };
}

function places(problems: readonly Problem[]): SpecCheck['problems'] {
  return problems
    .slice(0, MOST_PLACES)
    .map(({ line, column, path, message }) => ({ line, column, path, message }));
}
