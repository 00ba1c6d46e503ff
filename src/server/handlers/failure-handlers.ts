import type { failureEndpoints } from '../../api/endpoints/failure-endpoints.ts';
import type { Engine } from '../../core/engine.ts';
import type { Handlers } from './handler.ts';

export function failureHandlers(engine: Engine): Handlers<keyof typeof failureEndpoints> {
  return {
    listFailures: ({ params, query: { status, ...query } }) =>
      engine.listFailures(params.workflow_id, { ...query, ...(status && { statuses: status }) }),
    resolve: ({ params, body, actor }) => engine.resolve(params.workflow_id, { ...body, actor }),
    recover: ({ params, body, actor }) => engine.recover(params.workflow_id, { ...body, actor }),
    listDecisions: ({ query }) => engine.listDecisions(query),
  };
}
