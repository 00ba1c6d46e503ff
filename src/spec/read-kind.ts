import { readSource } from './source/read-source.ts';

export const SPEC_KINDS = ['workflow', 'request'] as const;

export type SpecKind = (typeof SPEC_KINDS)[number];

/** The key and its value as all notations write them: `kind: request`, `"kind": "request"`, `kind "request"`. */
const MENTIONED = /\bkind["']?(?:\s*:\s*|\s+)["']?request\b/;
const AT_LINE_START = /^[ \t{,]*["']?kind["']?(?:[ \t]*:[ \t]*|[ \t]+)["']?request\b/m;

/**
 * Which reader a spec is for. A file with a mistake in its notation is what the line with `kind` says; any other kind is
 * left to the reader of workflows, which reports it. A file that does not mention requests is not read at all.
 */
export function readKind(text: string, fileName: string): SpecKind {
  if (!MENTIONED.test(text)) return 'workflow';
  const source = readSource(text, fileName);
  const isRequest = source.ok ? kindOf(source.value) === 'request' : AT_LINE_START.test(text);
  return isRequest ? 'request' : 'workflow';
}

/** What is written under `kind` in a file that was read. */
export function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'kind')
    ? (value as { kind: unknown }).kind
    : undefined;
}
