import type { NotifyEntry } from '../../core/notify/notify-model.ts';
import type { Problem } from '../problem.ts';
import { readSource } from '../source/read-source.ts';
import { foundProblems } from '../source-problems.ts';
import { didYouMean } from '../suggest.ts';

/** What `notify` of specs may ask of the process that sends the messages. */
export interface NotifyPolicy {
  /** Names of targets of its configuration. */
  targets: string[];
  /** It can send mail. */
  hasMail: boolean;
  /**
   * Hosts of webhooks and domains of mail addresses that specs may name; `*` is any. null: the specs are the user's own,
   * who may also run commands and read variables and files.
   */
  hosts: string[] | null;
}

/** Entries of `notify` that the process does not send, with their places in the spec. */
export function notifyProblems(
  { text, name }: { text: string; name: string },
  entries: readonly NotifyEntry[],
  policy: NotifyPolicy,
): Problem[] {
  const refused = entries.flatMap((entry, index) => {
    const message = refusedEntry(entry, policy);
    return message === null ? [] : { path: ['notify', index], message };
  });
  const source = refused.length === 0 ? null : readSource(text, name);
  return source?.ok === true ? foundProblems(refused, name, source.locate) : [];
}

/** Why an entry is refused; null: it is not. */
function refusedEntry({ target }: NotifyEntry, policy: NotifyPolicy): string | null {
  const { targets, hasMail, hosts } = policy;
  switch (target.kind) {
    case 'named':
      return targets.includes(target.name) ? null : unknownTarget(target.name, targets, hosts !== null);
    case 'command':
      return hosts === null
        ? null
        : 'a server runs no commands of specs; name a target of its configuration with `to`';
    case 'mail':
      if (!hasMail) return 'mail needs `smtp` in the configuration';
      return firstProblem(
        target.to.map((address) => refusedHost(address.slice(address.lastIndexOf('@') + 1), hosts)),
      );
    case 'webhook':
    case 'slack':
      if (hosts === null) return null;
      if (typeof target.url !== 'string') {
        return 'a server reads no variables and files for specs; name a target of its configuration with `to`';
      }
      return refusedHost(new URL(target.url).hostname, hosts);
  }
}

function unknownTarget(name: string, targets: readonly string[], isServer: boolean): string {
  const whose = isServer ? 'the configuration of the server' : 'the configuration';
  const known = targets.length === 0 ? '' : `; it has ${targets.join(', ')}`;
  return `${whose} has no target ${JSON.stringify(name)} in \`notify\`${didYouMean(name, targets) || known}`;
}

function refusedHost(host: string, hosts: readonly string[] | null): string | null {
  if (hosts === null || hosts.includes('*') || hosts.includes(host.toLowerCase())) return null;
  return `the server sends nothing to ${host} for specs; \`notify_hosts\` in its configuration has the hosts that it does`;
}

function firstProblem(problems: readonly (string | null)[]): string | null {
  return problems.find((problem) => problem !== null) ?? null;
}
