import type { Engine } from '../../contract/engine.ts';
import { logReader } from '../../contract/log-reader.ts';
import type { AttemptRecord } from '../../contract/records/records.ts';
import { jobLabel } from '../../core/job/job-label.ts';
import type { CommandContext } from '../command-context.ts';
import type { LogTarget } from './follow-log.ts';

/** An empty log is easily taken for all that the job wrote: names the other stream if that has something. */
export async function noteEmpty(
  context: CommandContext,
  engine: Engine,
  { workflowId, choice, stream }: LogTarget,
  attempt: AttemptRecord,
): Promise<void> {
  const { attempt_id, job_name, scope, stdout_path, stderr_path } = attempt;
  const other = stream === 'stdout' ? 'stderr' : 'stdout';
  const isOneFile = stdout_path === stderr_path;
  const chunk = isOneFile ? null : await logReader(engine, workflowId, attempt, other)(0, 1);
  const hasOther = chunk !== null && chunk.data.length > 0;
  const words = [
    ...['logs', workflowId, jobLabel({ name: job_name, scope })],
    ...(other === 'stderr' ? ['--stderr'] : []),
    ...(choice.run === undefined ? [] : ['--run', choice.run]),
    ...(choice.attempt === undefined ? [] : ['--attempt', choice.attempt]),
  ];
  const more = hasOther ? `; ${other} is not: ${context.command(...words)}` : '';
  context.narrate(`${stream} of attempt ${attempt_id} is empty${more}`);
}
