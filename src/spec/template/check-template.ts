import type * as Liquidjs from 'liquidjs';
import type { Place } from '../problem.ts';
import { liquidEngine, liquidjs, type TemplateMistake, templateMistake } from './liquid-engine.ts';
import { marker, placeValues } from './place-values.ts';
import { describeTemplateRefusal } from './refusals.ts';

/** A value that a template reads. */
export interface VariableRead {
  /** As far as it is written out: `['outputs', 'build']`. */
  path: string[];
  /** Where in the template. */
  inside: Place;
}

export type TemplateCheck = { ok: true; variables: VariableRead[] } | ({ ok: false } & TemplateMistake);

export function isTemplate(command: string): boolean {
  return command.includes('{{') || command.includes('{%');
}

/** What is wrong with a template whatever its values are, or which values it reads. */
export function checkTemplate(template: string): TemplateCheck {
  const engine = liquidEngine(String);
  try {
    const parsed = engine.parse(template);
    const placed = placeValues(skeleton(template, engine));
    if (!placed.ok) {
      const message = describeTemplateRefusal(placed.refusal);
      return { ok: false, message, inside: { line: placed.line, column: 1 } };
    }
    const variables = Object.values(engine.analyzeSync(parsed).globals).flat();
    return { ok: true, variables: variables.map(variableRead) };
  } catch (error) {
    return { ok: false, ...templateMistake(error) };
  }
}

function variableRead({ segments, location }: Liquidjs.Variable): VariableRead {
  const end = segments.findIndex((segment) => typeof segment !== 'string');
  const path = (end === -1 ? segments : segments.slice(0, end)) as string[];
  return { path, inside: { line: location.row, column: location.col } };
}

/** The text with a marker for each value and every branch taken once: enough to see the quotes. */
function skeleton(template: string, engine: Liquidjs.Liquid): string {
  const { Tokenizer, TypeGuards } = liquidjs();
  let text = '';
  let index = 0;
  let comment = false;
  for (const token of new Tokenizer(template).readTopLevelTokens(engine.options)) {
    if (TypeGuards.isTagToken(token)) {
      if (token.name === 'comment') comment = true;
      else if (token.name === 'endcomment') comment = false;
    } else if (comment) {
      // Nothing of it is rendered.
    } else if (TypeGuards.isOutputToken(token)) {
      if (!/\|\s*raw\s*$/.test(token.content)) text += marker(++index);
    } else if (TypeGuards.isHTMLToken(token)) {
      text += token.getContent();
    }
  }
  return text;
}
