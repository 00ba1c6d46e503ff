import type { Engine } from '../../../contract/engine.ts';
import { type LogReader, logReader } from '../../../contract/log-reader.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { attemptToShow } from '../../logs/find-attempt.ts';
import { followLog, type LogTarget } from '../../logs/follow-log.ts';
import { tailOffset } from '../../logs/log-tail.ts';
import { LogPrinter } from '../../logs/print-log.ts';
import { reportGap } from '../../logs/report-gap.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { isWorkflowId, workflowAndJob } from '../../options/workflow-argument.ts';
import { isUnansweredFarewell, waitOutOutages } from '../../run/outages.ts';

const INTERRUPTED = 130;
const CHUNK_BYTES = 1024 * 1024;

/** `bundle` and a number: an archive. With one argument, or none that is a number, `bundle` is the name of a job. */
const isBundle = ([first, second]: string[]) =>
  first === 'bundle' && second !== undefined && isWorkflowId(second);

export const logsCommand: Command = async (context, invocation) => {
  const { args, options } = invocation;
  refuseOthers(isBundle(args), options);
  if (isBundle(args)) {
    const { logsBundleCommand } = await import('./logs-bundle.ts');
    return logsBundleCommand(context, invocation);
  }
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
  const stopWaiting = waitOutOutages(context, engine, context.narrate);
  const stopListening = onInterrupt(() => {
    end.abort();
    stopWaiting();
  });
  try {
    await followLog(context, engine, target, end.signal);
  } catch (error) {
    if (!isUnansweredFarewell(error, end.signal)) throw error;
  } finally {
    stopWaiting();
    stopListening();
  }
  return end.signal.aborted ? INTERRUPTED : 0;
};

function refuseOthers(bundle: boolean, options: Invocation['options']): void {
  const [given, problem] = bundle
    ? [['follow', 'stderr', 'attempt', 'run', 'tail'], 'not with `logs bundle`']
    : [['out', 'maxLog', 'maxSize'], 'only with `logs bundle ID`'];
  const flag = given.find((name) => options[name] !== undefined);
  if (flag === undefined) return;
  const argument = `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}

async function printLog(context: CommandContext, engine: Engine, target: LogTarget): Promise<number> {
  const { workflowId, job, choice, stream, tail } = target;
  const attempt = await attemptToShow(engine, workflowId, job, choice);
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
  const printer = new LogPrinter(context.stdout, { read, tail, onGap: reportGap(context) });
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
