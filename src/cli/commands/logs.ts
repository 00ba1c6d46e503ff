import { readFileSync } from 'node:fs';
import type { Engine } from '../../core/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Command, CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';
import { findAttempt } from '../logs/find-attempt.ts';
import { followLog, type LogTarget } from '../logs/follow-log.ts';
import { readTail } from '../logs/log-file.ts';
import { LogPrinter } from '../logs/print-log.ts';
import { wholeNumberOption } from '../whole-number-option.ts';
import { workflowAndJob } from '../workflow-argument.ts';

const INTERRUPTED = 130;

export const logsCommand: Command = async (context, { args, options }) => {
  const choice = {
    run: wholeNumberOption('--run', options.run),
    attempt: wholeNumberOption('--attempt', options.attempt),
  };
  const tail = wholeNumberOption('--tail', options.tail);
  const stream = options.stderr === true ? 'stderr_path' : 'stdout_path';
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
  const path = attempt[stream];
  if (context.settings.output === 'quiet') {
    context.print(path);
    return 0;
  }
  const printer = await LogPrinter.open(context.stdout, path, tail);
  if (printer === null) {
    throw new HoldfastError('STATE_UNUSABLE', { path, problem: 'the log was moved or removed' });
  }
  if (context.settings.output === 'json') {
    const text = tail === undefined ? readFileSync(path, 'utf8') : readTail(path, tail).join('\n');
    context.print(JSON.stringify({ attempt, path, text }, null, 2));
  } else {
    await printer.printNew();
  }
  await printer.close();
  return 0;
}
