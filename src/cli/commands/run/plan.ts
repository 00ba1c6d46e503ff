import { formatProblem, type Problem } from '../../../spec/problem.ts';
import { readKind } from '../../../spec/read-kind.ts';
import { loadRequest } from '../../../spec/request/load-request.ts';
import { planOfModel } from '../../../views/graph/plan.ts';
import { describeRequest } from '../../../views/request-plan.ts';
import type { Command } from '../../command-context.ts';
import { settingsOption } from '../../options/set-option.ts';
import { loadSpecText, readSpecText, valid } from '../../read-spec.ts';
import { filesBeside } from '../../spec-files.ts';
import { planView } from '../../texts/spec/plan-text.ts';
import { requestPlanView } from '../../texts/spec/request-text.ts';

export const planCommand: Command = async (context, { args, options, lists }) => {
  const file = args[0]!;
  const spec = readSpecText(file, settingsOption({ lists }));
  const narrate = (notes: readonly Problem[]) => {
    for (const note of notes) context.narrate(`note: ${formatProblem(note)}`);
  };
  if (readKind(spec.text, spec.name) === 'request') {
    const { model, items, notes } = valid(loadRequest(spec.text, spec.name, filesBeside(file), spec.set));
    narrate(notes);
    context.show(requestPlanView, describeRequest(model, items?.length ?? null));
    return 0;
  }
  const { model, notes } = valid(loadSpecText(spec, context.origins));
  narrate(notes);
  context.show(planView, { plan: planOfModel(model), all: options.all === true });
  return 0;
};
