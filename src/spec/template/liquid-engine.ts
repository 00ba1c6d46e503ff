import type * as Liquidjs from 'liquidjs';
import { lazyModule } from '../lazy-module.ts';
import type { Place } from '../problem.ts';
import { templateWords } from './template-words.ts';

export const liquidjs = lazyModule<typeof Liquidjs>('liquidjs');

/** Tags that only steer. Every other one reads files or writes text that would go round the binding. */
const TAGS = new Set([
  'assign',
  'break',
  'case',
  'comment',
  'continue',
  'for',
  'if',
  'liquid',
  'raw',
  'unless',
  '#',
]);

const WAY_OUT: Record<string, string> = {
  capture: 'use `assign` with `append`',
  echo: 'use `{{ … }}`',
  cycle: 'use `if` with `forloop.index`',
};

const MAX_TEMPLATE = 1_000_000;
const MAX_RENDER_MS = 1_000;
const MAX_MEMORY = 100_000_000;

/** A Liquid engine in which `bind` decides what each `{{ … }}` without `raw` leaves in the text. */
export function liquidEngine(bind: (value: unknown) => string): Liquidjs.Liquid {
  const { Liquid, filters } = liquidjs();
  const engine = new Liquid({
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    ownPropertyOnly: true,
    outputEscape: bind,
    templates: {},
    parseLimit: MAX_TEMPLATE,
    renderLimit: MAX_RENDER_MS,
    memoryLimit: MAX_MEMORY,
  });
  for (const tag of Object.keys(engine.tags)) if (!TAGS.has(tag)) delete engine.tags[tag];
  engine.registerFilter('raw', {
    ...(filters.raw as object),
    raw: true,
    handler: (value: unknown) => {
      if (String(value).includes('\0')) throw new Error('the value contains a NUL character');
      return value;
    },
  });
  return engine;
}

export interface TemplateMistake {
  message: string;
  inside?: Place;
}

/** Liquid's error in our words, with its place in the template. */
export function templateMistake(error: unknown): TemplateMistake {
  const original = error as Error & { token?: Liquidjs.Token };
  let message = original.message
    .replace(/, line:\d+, col:\d+$/, '')
    .replace(/^(?:Error|AssertionError): /, '');
  const tag = /^tag "([^"]+)" not found/.exec(message)?.[1];
  if (tag !== undefined) {
    const wayOut = WAY_OUT[tag] ? `; ${WAY_OUT[tag]}` : '';
    message = `the tag "${tag}" cannot be used in a command${wayOut}`;
  }
  const written = original.token?.getText();
  if (message.startsWith('the value ')) message = `${written ?? 'a placeholder'}: ${message}`;
  else if (tag === undefined) message = templateWords(message, written);
  const position = original.token?.getPosition();
  return position ? { message, inside: { line: position[0]!, column: position[1]! } } : { message };
}
