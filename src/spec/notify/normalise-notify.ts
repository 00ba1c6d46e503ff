import { isMailAddress, isVariableName, urlProblem } from '../../core/notify/check-target.ts';
import { EDGES } from '../../core/notify/edges.ts';
import { MESSAGE_PLACEHOLDERS, unknownPlaceholders } from '../../core/notify/message.ts';
import type { NotifyEntry, SecretText } from '../../core/notify/notify-model.ts';
import type { Findings } from '../findings.ts';
import type { SpecPath } from '../problem.ts';
import { didYouMean } from '../suggest.ts';
import type { NotifySpec } from './notify-schema.ts';

const TARGET_KEYS = ['to', 'webhook', 'slack', 'mail', 'command'] as const;

/** Who is notified, as the spec says. Entries with mistakes are left out. */
export function normaliseNotify(written: readonly NotifySpec[], findings: Findings): NotifyEntry[] {
  return written.flatMap((entry, index) => {
    const path: SpecPath = ['notify', index];
    checkTemplate(entry.title, [...path, 'title'], findings);
    checkTemplate(entry.text, [...path, 'text'], findings);
    const target = targetOf(entry, path, findings);
    if (target === null) return [];
    return {
      on: entry.on === undefined ? [...EDGES] : [...new Set([entry.on].flat())],
      target,
      title: entry.title ?? null,
      text: entry.text ?? null,
    };
  });
}

function targetOf(entry: NotifySpec, path: SpecPath, findings: Findings): NotifyEntry['target'] | null {
  const [key, ...more] = TARGET_KEYS.filter((each) => entry[each] !== undefined);
  if (key === undefined) {
    findings.error(path, `has no target; add one of ${TARGET_KEYS.join(', ')}`);
    return null;
  }
  if (more.length > 0) {
    findings.error(
      [...path, more[0]!],
      `an entry has one target, and this one has ${key} already; write two entries`,
    );
    return null;
  }
  switch (key) {
    case 'to':
      return { kind: 'named', name: entry.to! };
    case 'command':
      return { kind: 'command', command: entry.command! };
    case 'mail': {
      const addresses = [entry.mail!].flat();
      const wrong = addresses.find((address) => !isMailAddress(address));
      if (wrong === undefined) return { kind: 'mail', to: addresses };
      findings.error([...path, key], `${JSON.stringify(wrong)} is not an address like ops@example.org`);
      return null;
    }
    case 'webhook':
    case 'slack': {
      const url = entry[key]!;
      const problem = secretProblem(url);
      if (problem === null) return { kind: key, url };
      findings.error([...path, key], problem);
      return null;
    }
  }
}

function secretProblem(url: SecretText): string | null {
  if (typeof url === 'string') return urlProblem(url);
  return 'env' in url && !isVariableName(url.env) ? `${url.env} is not a name of a variable` : null;
}

function checkTemplate(template: string | undefined, path: SpecPath, findings: Findings): void {
  const [unknown] = template === undefined ? [] : unknownPlaceholders(template);
  if (unknown === undefined) return;
  const near = didYouMean(unknown, MESSAGE_PLACEHOLDERS);
  findings.error(
    path,
    `there is no placeholder {${unknown}}${near || `; there are ${MESSAGE_PLACEHOLDERS.join(', ')}`}`,
  );
}
