import type { Engine } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { type LogReader, logReader } from '../../core/log-reader.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { findAttempt } from '../logs/find-attempt.ts';
import { followLog, type LogTarget } from '../logs/follow-log.ts';
import { tailOffset } from '../logs/log-tail.ts';
import { LogPrinter } from '../logs/print-log.ts';
import { tellGap } from '../logs/tell-gap.ts';
import { wholeNumberOption } from '../whole-number-option.ts';
import { workflowAndJob } from '../workflow-argument.ts';

const INTERRUPTED = 130;
const CHUNK_BYTES = 1024 * 1024;

export const logsCommand: Command = async (context, { args, options }) => {
  const choice = {
    run: wholeNumberOption('--run', options.run),
    attempt: wholeNumberOption('--attempt', options.attempt),
  };
  const tail = wholeNumberOption('--tail', options.tail);
  const stream = options.stderr === true ? 'stderr' : 'stdout';
  if (options.follow === true && context.settings.output !== 'table') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--follow',
      problem: `prints the log as it grows, it has no --output ${context.settings.output}`,
    });
  }
  const engine = await context.openEngine();
  const target = { ...(await workflowAndJob(engine, context, args)), choice, stream, tail } as const;
  if (options.follow !== true) return printLog(context, engine, target);

  const end = new AbortController();
  const stopListening = onInterrupt(() => end.abort());
  try {
    await followLog(context, engine, target, end.signal);
  } finally {
    stopListening();
  }
  return end.signal.aborted ? INTERRUPTED : 0;
};

async function printLog(context: CommandContext, engine: Engine, target: LogTarget): Promise<number> {
  const { workflowId, job, choice, stream, tail } = target;
  const attempt = await findAttempt(engine, workflowId, job, choice);
  if (attempt === undefined || attempt.started_at_ms === null) throw new HoldfastError('NO_ATTEMPT', { job });
  const path = attempt[`${stream}_path`];
  if (context.settings.output === 'quiet') {
    context.print(path);
    return 0;
  }
  const read = logReader(engine, workflowId, attempt, stream);
  const missing = () =>
    new HoldfastError('NO_LOG', { stream, attempt: attempt.attempt_id, job: attempt.job_name });
  if (context.settings.output === 'json') {
    const text = await wholeText(read, tail);
    if (text === null) throw missing();
    context.print(JSON.stringify({ attempt, path, text }, null, 2));
    return 0;
  }
  const printer = new LogPrinter(context.stdout, { read, tail, onGap: tellGap(context) });
  if (!(await printer.printNew())) throw missing();
  await printer.end();
  return 0;
}

/** All that is kept, or its last lines; null if there is no such log. */
async function wholeText(read: LogReader, tail: number | undefined): Promise<string | null> {
  const pieces: Uint8Array[] = [];
  let offset = tail === undefined ? 0 : await tailOffset(read, tail);
  for (;;) {
    const chunk = await read(offset, CHUNK_BYTES);
    if (chunk === null) return null;
    if (chunk.data.length === 0) break;
    pieces.push(chunk.data);
    offset = chunk.offset + chunk.data.length;
  }
  const text = Buffer.concat(pieces).toString('utf8');
  return tail === undefined ? text : text.replace(/\n$/, '');
}
