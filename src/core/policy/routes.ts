/** Where a success leads: steps to run, then an ancestor to go back to. Ids name steps of the same scope. */
export interface Routes {
  run: string[];
  /** JavaScript that returns more ids to run. */
  run_js: string | null;
  goto: string | null;
  /** JavaScript that returns an ancestor's id, null (`goto` applies) or false (no jump). */
  goto_js: string | null;
}

/** Where a failure leads: remediation and re-attempts, then an ancestor. */
export interface FailRoutes extends Routes {
  reattempt: ReattemptPolicy;
}

export interface ReattemptPolicy {
  /** 0 with something to run means 1. */
  max: number;
  mode: 'fixed' | 'exponential';
  delay_ms: number;
}

export interface RoutingConfig {
  /** Re-attempts and jumps that are taken in one scope. */
  maxLoops: number;
  /** Environment variables that JavaScript sees. */
  env: string[];
  /** What JavaScript sees as `pr` and `files`. */
  context: { pr: unknown; files: unknown };
}

export const DEFAULT_ROUTING: RoutingConfig = { maxLoops: 10, env: [], context: { pr: null, files: null } };
export const DEFAULT_REATTEMPT: ReattemptPolicy = { max: 0, mode: 'fixed', delay_ms: 2000 };

const MAX_DELAY_MS = 60_000;

/** How long the n-th re-attempt of a visit waits, counted from the failure. */
export function reattemptDelayMs({ mode, delay_ms: delayMs }: ReattemptPolicy, number: number): number {
  if (mode === 'fixed') return delayMs;
  return Math.min(delayMs * 2 ** (number - 1), Math.max(delayMs, MAX_DELAY_MS));
}
