import type { Engine } from '../../contract/engine.ts';
import type { WorkflowRecord } from '../../contract/records/records.ts';
import type { CommandContext } from '../command-context.ts';
import { LiveProgress } from './live-progress.ts';
import { PlainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';
import { WorkflowFrames } from './workflow-frames.ts';

/** A live screen on a terminal, plain lines elsewhere, only notes with `--output quiet`. `stream`: with `--output json`, events are data. */
export async function startProgress(
  engine: Engine,
  workflow: WorkflowRecord,
  context: CommandContext,
  stream = false,
): Promise<Progress> {
  const { settings, stderr, errorPaint, narrate } = context;
  if (settings.output === 'quiet') return { note: narrate, stop: async () => {} };
  if (settings.output === 'table' && stderr.isTTY && process.env.TERM !== 'dumb') {
    return new LiveProgress(engine, new WorkflowFrames(engine, workflow.id), stderr, errorPaint);
  }
  const after = await lastEventId(engine, workflow.id);
  return new PlainProgress(
    engine,
    { id: workflow.id, job_count: workflow.job_count, after },
    narrate,
    errorPaint,
    stream && settings.output === 'json' ? (event) => context.print(JSON.stringify({ event })) : null,
  );
}

/** Only what happens from now on is shown. */
async function lastEventId(engine: Engine, workflowId: number): Promise<number> {
  let after = 0;
  for (;;) {
    const page = await engine.listEvents(workflowId, { after, limit: 1000 });
    after = page.items.at(-1)?.id ?? after;
    if (page.next === null) return after;
  }
}
