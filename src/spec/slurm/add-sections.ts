import { extname } from 'node:path';
import { isMap, parseDocument, stringify } from 'yaml';
import { loadSpec } from '../load-spec.ts';

/** Other programs read `01:30:00` as a number, unless it is quoted. */
const YAML_STYLE = { lineWidth: 0, compat: 'yaml-1.1' } as const;

type Entry = Record<string, string | number | string[]>;

/** What is added to a spec: entries of `slurm_schedulers` and of `actions`. */
export interface SlurmSections {
  slurm_schedulers: Entry[];
  actions: Entry[];
}

/** The sections alone, in the notation of the file. */
export function sectionsText(sections: SlurmSections, fileName: string): string {
  switch (extname(fileName).toLowerCase()) {
    case '.kdl':
      return kdlText(sections);
    case '.json':
    case '.json5':
      return `${JSON.stringify(sections, null, 2)}\n`;
    default:
      return stringify(sections, YAML_STYLE);
  }
}

/**
 * The spec with the sections, everything else as it was written, comments included. null: it cannot be done without a loss,
 * so that a person has to put the sections in.
 */
export function addSections(text: string, fileName: string, sections: SlurmSections): string | null {
  const wanted = sections.slurm_schedulers.map(({ name }) => String(name));
  for (const candidate of candidates(text, fileName, sections)) {
    const loaded = loadSpec(candidate, fileName);
    if (!loaded.ok) continue;
    const found = loaded.model.schedulers?.map(({ name }) => name) ?? [];
    if (wanted.every((name) => found.includes(name))) return candidate;
  }
  return null;
}

function candidates(text: string, fileName: string, sections: SlurmSections): string[] {
  switch (extname(fileName).toLowerCase()) {
    case '.kdl':
      return [`${text.trimEnd()}\n\n${kdlText(sections)}`];
    case '.json':
    case '.json5':
      return [...plainJson(text, sections), ...json5Texts(text, sections)];
    default:
      return yamlTexts(text, sections);
  }
}

function yamlTexts(text: string, sections: SlurmSections): string[] {
  const document = parseDocument(text, { compat: 'yaml-1.1' });
  if (document.errors.length > 0 || !isMap(document.contents)) return [];
  const { contents } = document;
  if (!contents.flow && !contents.has('actions') && !contents.has('slurm_schedulers')) {
    return [`${text.trimEnd()}\n\n${stringify(sections, YAML_STYLE)}`];
  }
  for (const [key, entries] of Object.entries(sections)) {
    for (const entry of entries as Entry[]) {
      if (document.hasIn([key])) document.addIn([key], document.createNode(entry));
      else document.setIn([key], document.createNode([entry]));
    }
  }
  return [document.toString({ lineWidth: 0 })];
}

/** JSON has no comments that could be lost. */
function plainJson(text: string, sections: SlurmSections): string[] {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    for (const [key, entries] of Object.entries(sections)) {
      value[key] = [...((value[key] as unknown[] | undefined) ?? []), ...entries];
    }
    return [`${JSON.stringify(value, null, 2)}\n`];
  } catch {
    return [];
  }
}

/** Before the last brace, whether or not a comma stands there already; which of them is right shows when they are read. */
function json5Texts(text: string, sections: SlurmSections): string[] {
  const end = text.lastIndexOf('}');
  if (end < 0) return [];
  const added = Object.entries(sections)
    .map(([key, entries]) => `  ${key}: ${JSON.stringify(entries, null, 2).replaceAll('\n', '\n  ')},\n`)
    .join('');
  const before = text.slice(0, end).trimEnd();
  return ['\n', '\n  ,\n'].map((comma) => `${before}${comma}${added}${text.slice(end)}`);
}

function kdlText({ slurm_schedulers, actions }: SlurmSections): string {
  const blocks = [
    ...slurm_schedulers.map(({ name, ...keys }) => kdlBlock(`slurm_scheduler ${kdlValue(name!)}`, keys)),
    ...actions.map((keys) => kdlBlock('action', keys)),
  ];
  return `${blocks.join('\n')}\n`;
}

function kdlBlock(head: string, keys: Entry): string {
  const lines = Object.entries(keys).map(
    ([key, value]) => `    ${key} ${[value].flat().map(kdlValue).join(' ')}\n`,
  );
  return `${head} {\n${lines.join('')}}\n`;
}

function kdlValue(value: string | number | string[]): string {
  return JSON.stringify(value);
}
