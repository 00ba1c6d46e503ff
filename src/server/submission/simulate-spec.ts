import type { BodyOf } from '../../contract/endpoint.ts';
import { endpoints } from '../../contract/endpoints.ts';
import type { Simulation } from '../../contract/records/overview.ts';
import { readKind } from '../../spec/read-kind.ts';
import { readBody } from '../requests/read-request.ts';
import { RequestError } from '../requests/request-error.ts';
import type { CheckSubmission } from './check-submitted-spec.ts';
import { parseJson, readSubmittedSpec, refusedSpec, sourceOf } from './read-submission.ts';

/** What `simulate` takes an attempt to last. */
const ATTEMPT_MS = 60_000;

/** What the policy of one job does about given outcomes, on an engine of its own. Nothing is run or stored. */
export async function simulateSpec({ text, ...settings }: CheckSubmission): Promise<Simulation> {
  const body = readBody(endpoints.simulateSpec, parseJson(text)) as BodyOf<typeof endpoints.simulateSpec>;
  const source = sourceOf(body);
  if (readKind(source.text, source.name) === 'request') {
    return refuse('spec', 'is a request; `holdfast simulate` plays its rounds');
  }
  const loaded = readSubmittedSpec(source, settings);
  if (!loaded.ok) throw refusedSpec(loaded.problems);
  const { simulateJob } = await import('../../simulate/simulate-job.ts');
  return simulateJob(loaded.model, body, ATTEMPT_MS, refuse);
}

function refuse(field: string, message: string): never {
  throw new RequestError([{ path: `body.${field}`, message }]);
}
