import type { BodyOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { NewRequest } from '../../contract/engine.ts';
import type { ErrorSettings } from '../../core/request/error-settings.ts';
import { type GroupPolicy, groupProblems } from '../../spec/check/group-policy.ts';
import { dagRequestProblems } from '../../spec/dag/dag-problems.ts';
import { type NotifyPolicy, notifyProblems } from '../../spec/notify/notify-policy.ts';
import { formatProblem } from '../../spec/problem.ts';
import { loadRequest } from '../../spec/request/load-request.ts';
import { sentFiles } from '../../spec/spec-files.ts';
import { readBody } from '../requests/read-request.ts';
import { RequestError } from '../requests/request-error.ts';
import { parseJson, refusedSpec, WITHOUT_DAGMAN, WITHOUT_TOKENS } from './read-submission.ts';
import type { SubmissionLimits } from './submission-limits.ts';

type Body = BodyOf<typeof endpoints.createRequest>;

/** A spec of kind request that was handed in. */
export interface RequestSubmission {
  /** The body of the request as it arrived. */
  text: string;
  actor: string;
  limits: SubmissionLimits;
  /** Of the configuration of the server; the spec overrides them. */
  settings: Partial<ErrorSettings>;
  /** The server can submit rounds to DAGMan. */
  hasDagman: boolean;
  /** Whom the server notifies for specs. */
  notify: NotifyPolicy;
  /** Groups that the caller may name; null: there are no tokens, and so no groups. */
  groups: GroupPolicy | null;
}

/** Reads the spec and the files that were sent along as if they had been found here. */
export function readRequestSubmission(submission: RequestSubmission): {
  request: NewRequest;
  notes: string[];
} {
  const { text, actor, settings, hasDagman, notify, groups } = submission;
  const body = readBody(endpoints.createRequest, parseJson(text)) as Body;
  const isText = typeof body.spec === 'string';
  const spec = isText ? (body.spec as string) : JSON.stringify(body.spec);
  const name = body.file_name ?? (isText ? 'request.yaml' : 'request.json');
  const loaded = loadRequest(spec, name, sentFiles(body.files ?? { texts: {}, lists: {} }), body.set);
  if (!loaded.ok) throw refusedSpec(loaded.problems);
  const named = loaded.model.access_groups ?? [];
  const refused = [
    ...notifyProblems({ text: spec, name }, loaded.model.notify ?? [], notify),
    ...groupProblems({ text: spec, name }, named, groups),
  ];
  if (refused.length > 0) throw refusedSpec(refused);
  if (loaded.model.executor === 'htcondor' && !hasDagman) throw withoutDagman();
  const place = { cwd: body.cwd ?? '.', output_dir: body.output_dir ?? 'output' };
  if (loaded.model.executor === 'htcondor') {
    const problems = dagRequestProblems({ text: spec, name }, loaded.model, place);
    if (problems.length > 0) throw refusedSpec(problems);
  }
  return {
    request: {
      model: loaded.model,
      items: loaded.items,
      settings,
      ...place,
      actor,
      shared: true,
    },
    notes: [
      ...loaded.notes.map(formatProblem),
      ...(groups === null && named.length > 0 ? [WITHOUT_TOKENS] : []),
    ],
  };
}

function withoutDagman(): RequestError {
  return new RequestError([{ path: 'body.spec.executor', message: WITHOUT_DAGMAN }]);
}
