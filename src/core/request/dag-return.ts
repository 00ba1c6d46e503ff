import { type Outcome, outcome, signalNamed } from '../job/outcome.ts';

/** What DAGMan gives as `$RETURN` where the job did not exit by itself. */
export const JOB_REMOVED = -1002;
export const SUBMIT_FAILED = -1001;

/** `$RETURN` of a POST script as an outcome: exit codes, signals as -N or 128 + N, and DAGMan's own codes. */
export function outcomeOfReturn(code: number): Outcome {
  if (code === SUBMIT_FAILED) return outcome({ spawn_error: 'it could not be submitted' });
  if (code < -1000) return outcome({ lost: true });
  if (code < 0) {
    const signal = signalNamed(-code);
    return signal === null ? outcome({ exit_code: code }) : outcome({ signal });
  }
  return outcome({ exit_code: code, signal: code > 128 ? signalNamed(code - 128) : null });
}
