import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * What every job begins with. Each attempt notes its start and its end in a file of its job, apart from anything that
 * the engine stores. Its processes hold a lock: an attempt that cannot have it has met another one alive.
 */
export const LEDGER = `f="$CHAOS_DIR/$HOLDFAST_WORKFLOW_ID-$HOLDFAST_JOB_ID"
exec 9>>"$f.lock"
flock -n 9 || echo "overlap $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID -" >> "$f"
echo "start $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID -" >> "$f"
ended() { grep -c "^end [0-9]* [0-9]* $1 " "$f"; }
finish() { echo "end $HOLDFAST_RUN_ID $HOLDFAST_ATTEMPT_ID $1 $EPOCHREALTIME" >> "$f"; exit "$1"; }
`;

interface LedgerLine {
  kind: 'start' | 'end' | 'overlap' | 'recovery';
  run: number;
  attempt: number;
  /** Of an end. */
  code: number | null;
  /** Of an end, by the clock of the machine. */
  atMs: number | null;
}

export function readLedger(directory: string, workflowId: number, jobId: number): LedgerLine[] {
  let text: string;
  try {
    text = readFileSync(join(directory, `${workflowId}-${jobId}`), 'utf8');
  } catch {
    return [];
  }
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [kind, run, attempt, code, at] = line.split(' ') as [LedgerLine['kind'], ...string[]];
      return {
        kind,
        run: Number(run),
        attempt: Number(attempt),
        code: code === '-' ? null : Number(code),
        atMs: at === undefined ? null : Number(at.replace(',', '.')) * 1000,
      };
    });
}
