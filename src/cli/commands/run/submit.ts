import { HoldfastError } from '../../../core/errors.ts';
import { readKind } from '../../../spec/read-kind.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { executorOption } from '../../options/executor-option.ts';
import { settingsOption } from '../../options/set-option.ts';
import { readSpecText, type SpecText } from '../../read-spec.ts';
import { storeNewWorkflow } from '../../run/new-workflow.ts';
import { refuseForRequest } from '../../run/refuse-for-request.ts';
import { requestView } from '../../texts/requests/request-text.ts';
import { submissionView } from '../../texts/submission-text.ts';

export const submitCommand: Command = async (context, { args, options, lists }) => {
  if (context.server === null) throw new HoldfastError('NEEDS_SERVER', { command: 'holdfast submit' });
  const path = args[0]!;
  const spec = readSpecText(path, settingsOption({ lists }));
  if (readKind(spec.text, spec.name) === 'request') return submitRequest(context, path, spec, options);
  const workflow = await storeNewWorkflow(context, spec, options, executorOption({ options }));
  const { idempotencyKey: key } = options;
  const engine = await context.openEngine();
  const created = await engine.createWorkflow({
    ...workflow,
    ...(typeof key === 'string' && { idempotency_key: key }),
  });
  context.show(submissionView, created);
  return 0;
};

async function submitRequest(
  context: CommandContext,
  path: string,
  spec: SpecText,
  options: Invocation['options'],
): Promise<number> {
  refuseForRequest(options);
  const { newRequest } = await import('../../run/new-request.ts');
  const request = newRequest(context, path, spec, options);
  const engine = await context.openEngine();
  context.show(requestView, { request: await engine.createRequest(request) });
  return 0;
}
