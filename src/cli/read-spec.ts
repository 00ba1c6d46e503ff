import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SpecSource } from '../contract/engine.ts';
import { HoldfastError } from '../core/errors.ts';
import type { RetryPolicy } from '../core/policy/retry-policy.ts';
import { loadSpec } from '../spec/load-spec.ts';
import { formatProblem, type Problem } from '../spec/problem.ts';
import { keptFiles } from '../spec/spec-files.ts';
import { didYouMean } from '../spec/suggest.ts';
import type { SpecSettings } from '../spec/variables/apply-settings.ts';
import { visibleText } from '../views/visible-text.ts';
import type { SettingOrigin } from './config/resolve-settings.ts';
import type { SettingKey } from './config/settings.ts';
import { fileProblem } from './file-problem.ts';
import { filesBeside } from './spec-files.ts';

type Loaded = ReturnType<typeof loadSpec> & {
  /** What it was made from. */
  source: SpecSource;
};
type ValidSpec = Extract<Loaded, { ok: true }>;

const STDIN = '<stdin>';

/** A spec file before anything is known of it. */
export interface SpecText {
  text: string;
  /** For messages; the extension gives the notation. */
  name: string;
  /** Values instead of those of the spec (default: none). */
  set?: SpecSettings;
}

/** `-` is stdin. */
export function readSpecText(path: string, set: SpecSettings = {}): SpecText {
  return { text: readText(path), name: path === '-' ? STDIN : path, set };
}

/** Reads and checks a spec file; `-` is stdin. */
export function loadSpecFile(path: string, origins: SettingOrigin[]): Loaded {
  return loadSpecText(readSpecText(path), origins);
}

export function loadSpecText({ text, name, set = {} }: SpecText, origins: SettingOrigin[]): Loaded {
  const defaults = retryDefaults(origins);
  const { files, sent } = keptFiles(filesBeside(name === STDIN ? '-' : name));
  const loaded = loadSpec(text, name, { retryDefaults: defaults, set, files });
  const hasFiles = Object.keys(sent.texts).length + Object.keys(sent.lists).length > 0;
  return {
    ...loaded,
    source: {
      text,
      name,
      retry_defaults: defaults,
      ...(Object.keys(set).length > 0 && { set }),
      ...(hasFiles && { files: sent }),
    },
  };
}

/** As `loadSpecFile`, with every problem as one error. */
export function readSpec(path: string, origins: SettingOrigin[]): ValidSpec {
  return valid(loadSpecFile(path, origins));
}

/** What was loaded, or every problem as one error. */
export function valid<T extends { ok: true } | { ok: false; problems: Problem[] }>(
  loaded: T,
): Extract<T, { ok: true }> {
  if (loaded.ok) return loaded as Extract<T, { ok: true }>;
  throw invalidSpec(loaded.problems);
}

/** INVALID_SPEC if there are any. */
export function refuseProblems(problems: readonly Problem[]): void {
  if (problems.length > 0) throw invalidSpec(problems);
}

function invalidSpec(problems: readonly Problem[]): HoldfastError {
  return new HoldfastError('INVALID_SPEC', { problems: problems.map(formatProblem).join('\n') });
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT'
        ? `there is no such file${specsHere(path)}`
        : code === 'EISDIR'
          ? `is a directory, not a spec${specsIn(path)}`
          : fileProblem(error);
    throw new HoldfastError('INVALID_ARGUMENT', { argument: path, problem }, error);
  }
}

const MOST_SPECS = 5;

/** `; here are a.yaml, b.yaml`: files of the current directory that may be specs, or the one that was probably meant. */
function specsHere(path: string): string {
  const specs = listSpecs('.');
  const meant = didYouMean(path, specs);
  return meant === '' ? nameSpecs('here', specs) : visibleText(meant);
}

/** `; in it are m/a.yaml, m/b.yaml`: files of a directory that may be specs. */
function specsIn(directory: string): string {
  return nameSpecs(
    'in it',
    listSpecs(directory).map((name) => join(directory, name)),
  );
}

function listSpecs(directory: string): string[] {
  return readdirSync(directory)
    .filter((name) => /^[^.].*\.(?:ya?ml|json5?|kdl)$/.test(name))
    .filter((name) => !/^(?:package(?:-lock)?|tsconfig.*|.*\.schema)\.json$/.test(name))
    .toSorted();
}

function nameSpecs(where: string, specs: string[]): string {
  if (specs.length === 0) return '';
  const more = specs.length > MOST_SPECS ? ` and ${specs.length - MOST_SPECS} more` : '';
  return `; ${where} ${specs.length === 1 ? 'is' : 'are'} ${specs.slice(0, MOST_SPECS).map(visibleText).join(', ')}${more}`;
}

const RETRY_KEYS: Partial<Record<SettingKey, keyof RetryPolicy>> = {
  default_max_retries_failure: 'max_retries_failure',
  default_max_retries_preemption: 'max_retries_preemption',
  default_retry_delay_ms: 'initial_retry_delay_ms',
};

/** Only what is configured: the spec layer has the defaults. */
export function retryDefaults(origins: SettingOrigin[]): Partial<RetryPolicy> {
  const defaults: Record<string, unknown> = {};
  for (const { key, value, origin } of origins) {
    const name = RETRY_KEYS[key];
    if (name !== undefined && origin !== 'default') defaults[name] = value;
  }
  return defaults;
}
