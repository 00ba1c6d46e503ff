import type * as Liquidjs from 'liquidjs';
import { liquidEngine, liquidjs, type TemplateMistake, templateMistake } from './liquid-engine.ts';
import { marker, placeValues } from './place-values.ts';
import { describeTemplateRefusal } from './refusals.ts';

/** A value that a template reads, as far as its path is written out: `['outputs', 'build']`. */
export type VariablePath = string[];

export type TemplateCheck = { ok: true; variables: VariablePath[] } | ({ ok: false } & TemplateMistake);

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
    const variables = engine.globalVariableSegmentsSync(parsed).map(writtenPath);
    return { ok: true, variables };
  } catch (error) {
    return { ok: false, ...templateMistake(error) };
  }
}

function writtenPath(segments: readonly unknown[]): VariablePath {
  const end = segments.findIndex((segment) => typeof segment !== 'string');
  return (end === -1 ? segments : segments.slice(0, end)) as VariablePath;
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
