import type { BodyOf } from '../../api/endpoint.ts';
import type { endpoints } from '../../api/endpoints.ts';
import type { NewWorkflow, SpecSource } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { overrideRouting } from '../../core/routing-overrides.ts';
import { loadSpec } from '../../spec/load-spec.ts';
import { formatProblem } from '../../spec/problem.ts';
import { checkData } from '../check-data.ts';
import { RequestError } from '../request-error.ts';

const MOST_PROBLEMS = 100;

type Body = BodyOf<typeof endpoints.createWorkflow>;

/** Reads the spec as if it had been found in a file here: nothing that a client says of it is believed. */
export function newWorkflow(body: Body, actor: string, idempotencyKey: string | undefined): NewWorkflow {
  const source = sourceOf(body);
  const loaded = loadSpec(source.text, source.name, {
    ...(source.retry_defaults && { retryDefaults: source.retry_defaults }),
  });
  if (!loaded.ok) {
    const problems = loaded.problems.slice(0, MOST_PROBLEMS);
    const fields = problems.map((problem) => ({
      path: problem.path === '' ? 'body.spec' : `body.spec.${problem.path}`,
      message: `${problem.line}:${problem.column}: ${problem.message}`,
    }));
    throw Object.assign(new RequestError(fields, 'INVALID_SPEC'), {
      message: problems.map(formatProblem).join('\n'),
    });
  }
  // Notations of text have escapes for what the text itself may not have.
  const problem = checkData(loaded.model, 'body.spec', { zeroBytes: 'refused' });
  if (problem !== null) throw new RequestError([{ ...problem, path: 'body.spec' }], 'INVALID_SPEC');
  if (loaded.unsupported.length > 0) {
    const features = loaded.unsupported.map(({ feature }) => feature).join(', ');
    throw new HoldfastError('NOT_SUPPORTED_YET', { features });
  }
  return {
    model: overrideRouting(loaded.model, source.overrides ?? {}),
    source,
    cwd: body.cwd ?? '.',
    output_dir: body.output_dir ?? 'output',
    actor,
    shared: true,
    ...(idempotencyKey !== undefined && { idempotency_key: idempotencyKey }),
  };
}

function sourceOf({ spec, file_name, retry_defaults, overrides }: Body): SpecSource {
  const isText = typeof spec === 'string';
  return {
    text: isText ? spec : JSON.stringify(spec),
    name: file_name ?? (isText ? 'spec.yaml' : 'spec.json'),
    ...(retry_defaults && { retry_defaults }),
    ...(overrides && { overrides }),
  };
}
