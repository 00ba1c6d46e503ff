import { HoldfastError } from '../core/errors.ts';
import { causeOf, type Outcome, outcome, signalNumber } from '../core/job/outcome.ts';
import { crashedPost, type PostResult } from '../core/job/post-result.ts';

/** How an attempt is supposed to end. */
export interface SimulatedOutcome {
  /** As it was written. */
  given: string;
  outcome: Outcome;
  /** false: its worker was lost between claim and start. */
  started: boolean;
  post: PostResult | null;
  stderrMatches: readonly string[];
}

/** What parsing has to know of the job. */
export interface OutcomeReader {
  hasPost: boolean;
  /** Patterns of its failure handler that are found in the text. */
  findPatterns: (stderr: string) => string[];
}

const CAUSES: Record<string, Partial<Outcome>> = {
  oom: { oom: true, oom_evidence: 'sampler', signal: 'SIGKILL' },
  timeout: { timed_out: true, signal: 'SIGTERM' },
  lost: { lost: true },
  unstarted: { lost: true },
  cancel: { canceled: true, signal: 'SIGTERM' },
  stop: { stopped: true, signal: 'SIGTERM' },
  spawn: { spawn_error: 'simulated' },
  missing_output: { exit_code: 0, missing_outputs: ['a declared output'] },
};

type Refuse = (problem: string) => never;

/** Outcomes separated by commas: `10,oom,lost,SEGV,0`. */
export function parseOutcomes(
  text: string,
  reader: OutcomeReader = { hasPost: false, findPatterns: () => [] },
): SimulatedOutcome[] {
  return text.split(',').map((written) => readOutcome(written, reader, wrong));
}

/**
 * One outcome. `/CODE` after it is the exit code of the post script (`/crash` if it has none), `:TEXT` after that is what
 * the attempt wrote to stderr. A post script that nothing is said about agrees with the exit code: it accepts 0 and calls
 * the rest a failure.
 */
export function readOutcome(
  written: string,
  { hasPost, findPatterns }: OutcomeReader,
  refuse: Refuse,
): SimulatedOutcome {
  const given = written.trim();
  const [, name = '', judgement, stderr = ''] = /^([^/:]*)(?:\/([^:]*))?(?::(.*))?$/s.exec(given) ?? [];
  const facts = outcomeOf(name.trim(), given, refuse);
  if (judgement !== undefined && !hasPost) refuse(`${given}: the job has no post script`);
  const cause = causeOf(facts);
  const asked = hasPost && cause !== 'lost' && cause !== 'canceled' && cause !== 'stopped';
  return {
    given,
    outcome: facts,
    started: name.trim() !== 'unstarted',
    post: asked ? postOf(judgement ?? (cause === null ? '0' : '1'), given, refuse) : null,
    stderrMatches: findPatterns(stderr),
  };
}

function outcomeOf(name: string, given: string, refuse: Refuse): Outcome {
  if (/^\d+$/.test(name)) return outcome({ exit_code: Number(name) });
  if (Object.hasOwn(CAUSES, name)) return outcome(CAUSES[name]!);
  const signal = name.toUpperCase().replace(/^SIG/, '');
  if (signal !== '' && signalNumber(signal) > 0) return outcome({ signal: `SIG${signal}` });
  return refuse(
    `${given === '' ? 'an empty text' : given} is no outcome; write an exit code, a signal such as SEGV, or one of ${Object.keys(CAUSES).join(', ')}`,
  );
}

function postOf(judgement: string, given: string, refuse: Refuse): PostResult {
  if (judgement === 'crash') return crashedPost('simulated');
  if (/^\d+$/.test(judgement)) return { ...crashedPost(''), exit_code: Number(judgement), problem: null };
  return refuse(`${given}: after / stands the exit code of the post script, or crash`);
}

function wrong(problem: string): never {
  throw new HoldfastError('INVALID_ARGUMENT', { argument: '--outcomes', problem });
}
