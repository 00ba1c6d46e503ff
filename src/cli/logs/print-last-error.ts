import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { AttemptRecord } from '../../contract/records/records.ts';
import { HoldfastError } from '../../core/errors.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandContext } from '../command-context.ts';
import { lastError } from './last-error.ts';
import { tailLines } from './log-tail.ts';

const SEARCHED_BYTES = 1024 * 1024;
const LAST_LINES = 20;

/** The last error in stderr; if that has none, in stdout; otherwise the last lines of what there is. */
export async function printLastError(
  { settings, print, narrate }: CommandContext,
  engine: Engine,
  workflowId: number,
  attempt: AttemptRecord,
): Promise<void> {
  const streams = [];
  for (const stream of ['stderr', 'stdout'] as const) {
    const read = logReader(engine, workflowId, attempt, stream);
    const lines = await tailLines(read, Number.MAX_SAFE_INTEGER, SEARCHED_BYTES);
    streams.push({ stream, path: attempt[`${stream}_path`], lines, error: lastError(lines) });
  }
  const found = streams.find(({ error }) => error !== null) ?? streams.find(({ lines }) => lines.length > 0);
  if (found === undefined) {
    throw new HoldfastError('NO_LOG', {
      stream: 'stderr',
      attempt: attempt.attempt_id,
      job: attempt.job_name,
    });
  }
  const { stream, path, error, lines } = found;
  const shown = error ?? lines.slice(-LAST_LINES);
  if (settings.output === 'quiet') return print(path);
  if (settings.output === 'json') {
    return print(JSON.stringify({ attempt, stream, path, text: shown.join('\n') }, null, 2));
  }
  narrate(
    error === null ? `no line looks like an error; the end of ${stream}: ${path}` : `${stream}: ${path}`,
  );
  print(shown.map(visibleText).join('\n'));
}
