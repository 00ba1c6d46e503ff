import { notifySentences } from '../../../core/notify/describe-target.ts';
import type { NotifyEntry } from '../../../core/notify/notify-model.ts';
import { notifyProblems } from '../../../spec/notify/notify-policy.ts';
import type { Problem } from '../../../spec/problem.ts';
import { readKind } from '../../../spec/read-kind.ts';
import { describeRequest } from '../../../views/request-plan.ts';
import { schedulersOfModel } from '../../../views/scheduler-text.ts';
import { policiesOfModel } from '../../../views/shared-policies.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { ownPolicy } from '../../notify/notify-policy.ts';
import { settingsOption } from '../../options/set-option.ts';
import { loadSpecText, readSpecText, type SpecText } from '../../read-spec.ts';
import { filesBeside } from '../../spec-files.ts';
import { type RequestValidation, requestValidationView } from '../../texts/spec/request-text.ts';
import { type SpecPlace, type Validation, validationView } from '../../texts/spec/validation-text.ts';

export const validateCommand: Command = async (context, { args, lists }) => {
  const file = args[0]!;
  const spec = readSpecText(file, settingsOption({ lists }));
  if (readKind(spec.text, spec.name) === 'request') {
    const validation = await validateRequest(context, file, spec);
    context.show(requestValidationView, validation);
    return validation.valid ? 0 : 2;
  }
  const loaded = loadSpecText(spec, context.origins);
  const validation: Validation = loaded.ok
    ? {
        file,
        valid: true,
        name: loaded.model.name,
        jobs: loaded.model.jobs.length,
        problems: [],
        warnings: [...loaded.warnings, ...refusedHere(context, spec, loaded.model.notify)].map(place),
        notes: loaded.notes.map(place),
        policies: policiesOfModel(loaded.model),
        ...(loaded.model.notify && { notify: notifySentences(loaded.model.notify) }),
        ...(loaded.model.schedulers && { schedulers: schedulersOfModel(loaded.model) }),
      }
    : {
        file,
        valid: false,
        name: null,
        jobs: 0,
        problems: loaded.problems.map(place),
        warnings: [],
        notes: [],
        policies: [],
      };
  context.show(validationView, validation);
  return loaded.ok ? 0 : 2;
};

/** Receivers that this process would refuse; a server has its own. */
function refusedHere(
  context: CommandContext,
  spec: SpecText,
  notify: readonly NotifyEntry[] = [],
): Problem[] {
  return context.server === null ? notifyProblems(spec, notify, ownPolicy(context.settings)) : [];
}

async function validateRequest(
  context: CommandContext,
  file: string,
  spec: SpecText,
): Promise<RequestValidation> {
  const { text, name, set } = spec;
  const { loadRequest } = await import('../../../spec/request/load-request.ts');
  const loaded = loadRequest(text, name, filesBeside(file), set);
  const elsewhere = (problem: Problem) => ({
    ...place(problem),
    ...(problem.file !== name && { file: problem.file }),
  });
  return loaded.ok
    ? {
        file,
        kind: 'request',
        valid: true,
        problems: [],
        warnings: [...loaded.warnings, ...refusedHere(context, spec, loaded.model.notify)].map(place),
        notes: loaded.notes.map(place),
        plan: describeRequest(loaded.model, loaded.items?.length ?? null),
      }
    : {
        file,
        kind: 'request',
        valid: false,
        problems: loaded.problems.map(elsewhere),
        warnings: [],
        notes: [],
        plan: null,
      };
}

function place({ line, column, path, message, frame }: SpecPlace): SpecPlace {
  return { line, column, path, message, ...(frame !== undefined && { frame }) };
}
