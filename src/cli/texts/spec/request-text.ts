import type { RequestPlan } from '../../../views/request-plan.ts';
import { visibleText } from '../../../views/visible-text.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { View } from '../../terminal/view.ts';
import { placeLines, type SpecPlace } from './validation-text.ts';

export const requestPlanView: View<RequestPlan> = {
  json: (plan) => plan,
  table: (plan, style: TextStyle) => [
    `request ${style.paint('bold', visibleText(plan.name))}`,
    ...sentenceLines(plan),
  ],
  quiet: ({ name }) => [name],
};

/** What `validate` found in a request. */
export interface RequestValidation {
  file: string;
  kind: 'request';
  valid: boolean;
  problems: SpecPlace[];
  warnings: SpecPlace[];
  /** Keys that are accepted and have no effect. */
  notes: SpecPlace[];
  /** null if the spec is not valid. */
  plan: RequestPlan | null;
}

export const requestValidationView: View<RequestValidation> = {
  json: ({ plan, ...validation }) => ({ ...validation, name: plan?.name ?? null, plan }),
  table: validationText,
  quiet: ({ plan }) => (plan === null ? [] : [plan.name]),
};

function validationText({ file, plan, ...found }: RequestValidation): string[] {
  const lines = placeLines(file, found);
  if (plan === null) {
    const { length } = found.problems;
    return [...lines, `${file}: ${length} problem${length === 1 ? '' : 's'}`];
  }
  return [...lines, `${file}: valid, request ${visibleText(plan.name)}`, ...sentenceLines(plan)];
}

function sentenceLines({ sentences }: RequestPlan): string[] {
  return sentences.map((sentence) => visibleText(`  ${sentence}`));
}
