import type { workflowEndpoints } from '../../api/endpoints/workflow-endpoints.ts';
import { BAD_IDEMPOTENCY_KEY, IDEMPOTENCY_KEY, IDEMPOTENCY_KEY_TEXT } from '../../api/request-headers.ts';
import type { Engine } from '../../core/engine.ts';
import { RequestError } from '../request-error.ts';
import type { Handlers } from './handler.ts';
import { newWorkflow } from './new-workflow.ts';

export function workflowHandlers(engine: Engine): Handlers<keyof typeof workflowEndpoints> {
  return {
    createWorkflow: ({ body, actor, request }) =>
      engine.createWorkflow(newWorkflow(body, actor, idempotencyKey(request.headers[IDEMPOTENCY_KEY]))),
    listWorkflows: ({ query }) => engine.listWorkflows(query),
    getWorkflow: ({ params }) => engine.getWorkflow(params.workflow_id),
    status: ({ params }) => engine.status(params.workflow_id),
    cancel: ({ params, body, actor }) => engine.cancel(params.workflow_id, { ...body, actor }),
    resetStatus: ({ params, body, actor }) => engine.resetStatus(params.workflow_id, { ...body, actor }),
    addEvent: async ({ params, body, actor }) => {
      await engine.addEvent(params.workflow_id, { ...body, actor });
      return undefined;
    },
    createFailureHandler: ({ params, body, actor }) =>
      engine.createFailureHandler(params.workflow_id, { ...body, actor }),
    listFailureHandlers: ({ params }) => engine.listFailureHandlers(params.workflow_id),
    getFailureHandler: ({ params }) => engine.getFailureHandler(params.handler_id),
    deleteFailureHandler: ({ params, actor }) => engine.deleteFailureHandler(params.handler_id, actor),
    listFiles: ({ params }) => engine.listFiles(params.workflow_id),
    listUserData: ({ params }) => engine.listUserData(params.workflow_id),
    setUserData: ({ params, body, actor }) =>
      engine.setUserData(params.workflow_id, params.name, { data: body.data ?? null, actor }),
  };
}

function idempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && IDEMPOTENCY_KEY_TEXT.test(header)) return header;
  throw new RequestError([{ path: `headers.${IDEMPOTENCY_KEY}`, message: BAD_IDEMPOTENCY_KEY }]);
}
