import type { FailureRule } from '../policy/failure-rule.ts';
import type { RetryPolicy } from '../policy/retry-policy.ts';

/** `NODE.node.json`: what the post step knows of a node that only the workflow says. */
export interface NodeFacts {
  /** Name of the job in its workflow. */
  job: string;
  /** Items that it processes. */
  items: string[];
  /** What the first attempt may use. `NODE.override` has what a retry may. */
  memory_mb: number | null;
  time_limit_sec: number | null;
  retry: RetryPolicy;
  /** Rules of its failure handler; null: a rulebook applies, or nothing. */
  handler: { name: string; rules: FailureRule[] } | null;
  /** Its failure fails nothing else. */
  continue_on_failure: boolean;
}

export const nodeFactsFile = (node: string): string => `${node}.node.json`;

/** What retries may use, in the words of a submit file, which includes it: `NODE.override`. */
export interface NodeOverride {
  memory_mb: number | null;
  time_limit_sec: number | null;
}

export const overrideFile = (node: string): string => `${node}.override`;

/** Attribute of a job: how long an attempt may run, in seconds. */
export const TIME_LIMIT_ATTRIBUTE = 'HoldfastTimeLimit';

export function overrideText({ memory_mb, time_limit_sec }: NodeOverride): string {
  const lines = [
    ...(memory_mb === null ? [] : [`request_memory = ${memory_mb}`]),
    ...(time_limit_sec === null ? [] : [`+${TIME_LIMIT_ATTRIBUTE} = ${time_limit_sec}`]),
  ];
  return lines.map((line) => `${line}\n`).join('');
}

export function readOverride(text: string): NodeOverride {
  const number = (pattern: RegExp): number | null => {
    const found = pattern.exec(text)?.[1];
    return found === undefined ? null : Number(found);
  };
  return {
    memory_mb: number(/^request_memory = (\d+)$/m),
    time_limit_sec: number(new RegExp(`^\\+${TIME_LIMIT_ATTRIBUTE} = (\\d+)$`, 'm')),
  };
}
