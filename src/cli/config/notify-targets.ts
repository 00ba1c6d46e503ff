import { isMailAddress, isVariableName, maskedUrl, urlProblem } from '../../core/notify/check-target.ts';
import { describeTarget } from '../../core/notify/describe-target.ts';
import { EDGES, type Edge } from '../../core/notify/edges.ts';
import { MESSAGE_PLACEHOLDERS, unknownPlaceholders } from '../../core/notify/message.ts';
import type { ConfiguredTarget, NotifyTarget, SecretText } from '../../core/notify/notify-model.ts';
import { didYouMean } from '../../spec/suggest.ts';

type Parsed<T> = { value: T } | { problem: string };

const TARGET_KEYS = ['webhook', 'slack', 'mail', 'command'] as const;
const KEYS = [...TARGET_KEYS, 'on', 'for', 'title', 'text'];
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;

/** `{ops: {slack: {env: SLACK_URL}, on: [failed, held]}}`, from YAML or as JSON, by name. */
export function parseNotifyTargets(raw: unknown): Parsed<ConfiguredTarget[]> {
  const written = typeof raw === 'string' ? jsonOrNothing(raw) : raw;
  if (!isObject(written))
    return { problem: 'must be targets by name, each with webhook, slack, mail or command' };
  const value: ConfiguredTarget[] = [];
  for (const [name, entry] of Object.entries(written)) {
    if (!NAME.test(name))
      return { problem: `${JSON.stringify(name)} is not a name of letters, digits, ".", "_" and "-"` };
    const target = isObject(entry) ? readTarget(name, entry) : 'must have webhook, slack, mail or command';
    if (typeof target === 'string') return { problem: `${name}: ${target}` };
    value.push(target);
  }
  return { value };
}

export function showNotifyTargets(targets: readonly ConfiguredTarget[]): string {
  return targets.map(({ name, target }) => `${name}: ${describeTarget(target)}`).join('; ') || 'none';
}

/** With the secrets of its addresses hidden. */
export function maskNotifyTargets(targets: readonly ConfiguredTarget[]): ConfiguredTarget[] {
  return targets.map((each) => {
    const { target } = each;
    return 'url' in target && typeof target.url === 'string'
      ? { ...each, target: { ...target, url: maskedUrl(target.url) } }
      : each;
  });
}

/** The target, or what is wrong. */
function readTarget(name: string, written: Record<string, unknown>): ConfiguredTarget | string {
  const unknown = Object.keys(written).find((key) => !KEYS.includes(key));
  if (unknown !== undefined)
    return `there is no key ${unknown}${didYouMean(unknown, KEYS) || `; there are ${KEYS.join(', ')}`}`;
  const target = destinationOf(written);
  if (typeof target === 'string') return target;
  const { on = [...EDGES], for: whose = 'all' } = written;
  const edges = [on].flat();
  const wrong = edges.find((edge) => !EDGES.some((each) => each === edge));
  if (edges.length === 0 || wrong !== undefined) {
    return `on must have some of ${EDGES.join(', ')}${wrong === undefined ? '' : didYouMean(String(wrong), EDGES)}`;
  }
  if (whose !== 'all' && whose !== 'named') return 'for must be all, or named for specs that name it only';
  const [title, text] = [templateOf(written.title), templateOf(written.text)];
  if (typeof title === 'object' && title !== null) return `title ${title.problem}`;
  if (typeof text === 'object' && text !== null) return `text ${text.problem}`;
  return { name, on: [...new Set(edges as Edge[])], everywhere: whose === 'all', title, text, target };
}

function destinationOf(written: Record<string, unknown>): NotifyTarget | string {
  const [key, ...more] = TARGET_KEYS.filter((each) => written[each] !== undefined);
  if (key === undefined || more.length > 0) return `must have one of ${TARGET_KEYS.join(', ')}`;
  const value = written[key];
  switch (key) {
    case 'command':
      return typeof value === 'string' && value.trim() !== ''
        ? { kind: key, command: value }
        : 'command must be a text that is not empty';
    case 'mail': {
      const addresses = [value].flat();
      const areRight =
        addresses.length > 0 && addresses.every((each) => typeof each === 'string' && isMailAddress(each));
      return areRight
        ? { kind: key, to: addresses as string[] }
        : 'mail must have addresses like ops@example.org';
    }
    case 'webhook':
    case 'slack': {
      const url = parseSecret(value);
      if ('problem' in url) return `${key} ${url.problem}`;
      const problem = typeof url.value === 'string' ? urlProblem(url.value) : null;
      return problem === null ? { kind: key, url: url.value } : `${key} ${problem}`;
    }
  }
}

/** A text, `{env: NAME}` or `{file: PATH}`. */
export function parseSecret(raw: unknown): Parsed<SecretText> {
  const problem = { problem: 'must be a text, {env: NAME} or {file: PATH}' };
  if (typeof raw === 'string') return raw === '' ? problem : { value: raw };
  if (!isObject(raw)) return problem;
  const [[key, value] = [], ...more] = Object.entries(raw);
  if (more.length > 0 || typeof value !== 'string' || value === '') return problem;
  if (key === 'file') return { value: { file: value } };
  return key === 'env' && isVariableName(value) ? { value: { env: value } } : problem;
}

function templateOf(raw: unknown): string | null | { problem: string } {
  if (raw === undefined) return null;
  if (typeof raw !== 'string' || raw === '') return { problem: 'must be a text that is not empty' };
  const [unknown] = unknownPlaceholders(raw);
  if (unknown === undefined) return raw;
  return {
    problem: `has no placeholder {${unknown}}${didYouMean(unknown, MESSAGE_PLACEHOLDERS) || `; there are ${MESSAGE_PLACEHOLDERS.join(', ')}`}`,
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function jsonOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
