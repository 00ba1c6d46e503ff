import { readFileSync } from 'node:fs';
import type * as Yaml from 'yaml';
import { HoldfastError } from '../../core/errors.ts';
import { lazyModule } from '../../spec/lazy-module.ts';
import { yamlMistake } from '../../spec/source/yaml-mistake.ts';
import { didYouMean } from '../../spec/suggest.ts';
import { fileProblem } from '../file-problem.ts';
import { SETTING_KEYS, type SettingKey } from './settings.ts';

/** Loaded only where a file exists: most commands then start without the YAML parser. */
const yaml = lazyModule<typeof Yaml>('yaml');

interface ConfigValue {
  raw: unknown;
  /** `file:line`. */
  place: string;
}

/** Settings that are names with a value each, or lists. */
const NESTED: ReadonlySet<SettingKey> = new Set<SettingKey>([
  'access_groups',
  'ai_agents',
  'notify',
  'notify_hosts',
  'smtp',
  'slurm_profiles',
  'submission_limits',
  'traces',
]);

export type ConfigFile = Partial<Record<SettingKey, ConfigValue>>;

/** Reads a config.yaml; one that does not exist is empty. All mistakes are reported at once. */
export async function readConfigFile(path: string): Promise<ConfigFile> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    // What stands in the way of the state directory (ENOTDIR) is reported where it is needed.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return {};
    throw new HoldfastError('INVALID_CONFIG', { problems: `${path}: ${fileProblem(error)}` }, error);
  }
  return parseConfigFile(text, path);
}

export async function parseConfigFile(text: string, path: string): Promise<ConfigFile> {
  const { isMap, isScalar, isSeq, LineCounter, parseDocument } = yaml();
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const place = (offset: number | undefined) => `${path}:${lines.linePos(offset ?? 0).line}`;
  const problems = document.errors
    .slice(0, 1)
    .map((error) => `${place(error.pos[0])}: ${yamlMistake(error, text)}`);
  const file: ConfigFile = {};
  const root = document.contents;

  if (isMap(root)) {
    for (const pair of root.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : '';
      const where = place(isScalar(pair.key) ? pair.key.range?.[0] : undefined);
      const known = SETTING_KEYS.find((each) => each === key);
      if (known === undefined) {
        problems.push(`${where}: unknown key ${key}${didYouMean(key, SETTING_KEYS)}`);
      } else {
        const { value } = pair;
        const names = (isMap(value) || isSeq(value)) && NESTED.has(known);
        file[known] = {
          raw: names ? value.toJS(document) : isScalar(value) ? value.value : null,
          place: where,
        };
        if (value !== null && !isScalar(value) && !names) problems.push(`${where}: ${key} must be one value`);
      }
    }
  } else if (root !== null && problems.length === 0) {
    problems.push(`${place(0)}: must be a list of \`key: value\` lines`);
  }
  if (problems.length > 0) throw new HoldfastError('INVALID_CONFIG', { problems: problems.join('\n') });
  return file;
}
