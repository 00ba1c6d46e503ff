import type { AnswerOf, BodyOf } from '../../src/contract/endpoint.ts';
import type { endpoints } from '../../src/contract/endpoints.ts';
import { ask } from './call.ts';

// Endpoints that read a spec; they are no operations of the engine.

type Endpoints = typeof endpoints;

async function send<T>(method: 'POST' | 'PUT', path: string, body: object): Promise<T> {
  const answer = await ask(path, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as T;
}

export function checkSpec(body: BodyOf<Endpoints['checkSpec']>): Promise<AnswerOf<Endpoints['checkSpec']>> {
  return send('POST', '/api/v1/specs/check' satisfies Endpoints['checkSpec']['path'], body);
}

export function simulateSpec(
  body: BodyOf<Endpoints['simulateSpec']>,
): Promise<AnswerOf<Endpoints['simulateSpec']>> {
  return send('POST', '/api/v1/specs/simulate' satisfies Endpoints['simulateSpec']['path'], body);
}

export function createWorkflow(
  body: BodyOf<Endpoints['createWorkflow']>,
): Promise<AnswerOf<Endpoints['createWorkflow']>> {
  return send('POST', '/api/v1/workflows' satisfies Endpoints['createWorkflow']['path'], body);
}

export function createRequest(
  body: BodyOf<Endpoints['createRequest']>,
): Promise<AnswerOf<Endpoints['createRequest']>> {
  return send('POST', '/api/v1/requests' satisfies Endpoints['createRequest']['path'], body);
}

export function updateWorkflow(
  workflow: number,
  body: BodyOf<Endpoints['updateWorkflow']>,
): Promise<AnswerOf<Endpoints['updateWorkflow']>> {
  return send('PUT', `/api/v1/workflows/${workflow}/spec`, body);
}
