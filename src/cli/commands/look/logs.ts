import type { Engine } from '../../../contract/engine.ts';
import { type LogReader, logReader } from '../../../contract/log-reader.ts';
import type { AttemptRecord } from '../../../contract/records/records.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { attemptToShow } from '../../logs/find-attempt.ts';
import { followLog, type LogTarget } from '../../logs/follow-log.ts';
import { tailOffset } from '../../logs/log-tail.ts';
import { noteEmpty } from '../../logs/note-empty.ts';
import { plainLogLines } from '../../logs/plain-log-lines.ts';
import { printLastError } from '../../logs/print-last-error.ts';
import { LogPrinter } from '../../logs/print-log.ts';
import { reportGap } from '../../logs/report-gap.ts';
import { oneJob } from '../../options/one-job.ts';
import { refuseOptions, WITH_SERVER_ONLY } from '../../options/refuse-options.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { isWorkflowId, jobRef, refuseWorkflow, workflowArgument } from '../../options/workflow-argument.ts';
import { isUnansweredFarewell, waitOutOutages } from '../../run/outages.ts';

const INTERRUPTED = 130;
const CHUNK_BYTES = 1024 * 1024;
const STREAMS = ['stdout', 'stderr'] as const;

/** `bundle` and a number: an archive. With one argument, or none that is a number, `bundle` is the name of a job. */
const isBundle = ([first, second]: string[]) =>
  first === 'bundle' && second !== undefined && isWorkflowId(second);

export const logsCommand: Command = async (context, invocation) => {
  const { args, options } = invocation;
  refuseOthers(isBundle(args), invocation);
  if (options.follow !== true) refuseOptions(invocation, ['reconnectTimeout'], 'only with --follow');
  else if (context.server === null) refuseOptions(invocation, ['reconnectTimeout'], WITH_SERVER_ONLY);
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
  refuseTogether(options);
  const engine = await context.openEngine();
  const target = { ...(await jobToShow(engine, context, args)), choice, stream, tail } as const;
  if (options.lastError === true || options.both === true) {
    const { workflowId } = target;
    const attempt = await startedAttempt(engine, target);
    if (options.lastError === true) await printLastError(context, engine, workflowId, attempt);
    else await printBoth(context, engine, target, attempt);
    return 0;
  }
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

/** `ID JOB`, or only `JOB` of the newest workflow. */
async function jobToShow(
  engine: Engine,
  context: CommandContext,
  args: string[],
): Promise<Pick<LogTarget, 'workflowId' | 'job'>> {
  const [id, name] = args.length === 1 ? [undefined, args[0]!] : [args[0], args[1]!];
  const workflowId = await workflowArgument(engine, context, id);
  try {
    await oneJob(engine, workflowId, name);
    return { workflowId, job: jobRef(name) };
  } catch (error) {
    if (id !== undefined || !(error instanceof HoldfastError && error.code === 'JOB_NOT_FOUND')) throw error;
    await refuseWorkflow(engine, context, 'logs', jobRef(name));
    if (name !== 'bundle') throw error;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: name,
      problem: `needs the number of a workflow, as in \`${context.command('logs', 'bundle', workflowId)}\``,
    });
  }
}

function refuseOthers(bundle: boolean, invocation: Invocation): void {
  const [given, problem] = bundle
    ? [['follow', 'stderr', 'both', 'lastError', 'attempt', 'run', 'tail'], 'not with `logs bundle`']
    : [['out', 'maxLog', 'maxSize'], 'only with `logs bundle ID`'];
  refuseOptions(invocation, given, problem);
}

/** Each of these decides what is printed. */
function refuseTogether(options: Invocation['options']): void {
  const alone = options.lastError === true ? 'last-error' : options.both === true ? 'both' : null;
  if (alone === null) return;
  const others = alone === 'both' ? ['follow', 'stderr'] : ['follow', 'stderr', 'both', 'tail'];
  const other = others.find((name) => options[name] !== undefined);
  if (other === undefined) return;
  throw new HoldfastError('INVALID_ARGUMENT', {
    argument: `--${alone}`,
    problem: `not together with --${other}`,
  });
}

async function startedAttempt(
  engine: Engine,
  { workflowId, job, choice }: LogTarget,
): Promise<AttemptRecord> {
  const attempt = await attemptToShow(engine, workflowId, job, choice);
  if (attempt === undefined || attempt.started_at_ms === null)
    throw new HoldfastError('NO_ATTEMPT', { workflow: workflowId, job });
  return attempt;
}

/** stdout, then stderr; once, where both are one file. */
async function printBoth(
  context: CommandContext,
  engine: Engine,
  { workflowId, tail }: LogTarget,
  attempt: AttemptRecord,
): Promise<void> {
  const streams = attempt.stdout_path === attempt.stderr_path ? STREAMS.slice(0, 1) : STREAMS;
  const logs = [];
  for (const stream of streams) {
    const path = attempt[`${stream}_path`];
    logs.push({ stream, path, text: await wholeText(logReader(engine, workflowId, attempt, stream), tail) });
  }
  if (context.settings.output === 'json') {
    context.print(JSON.stringify({ attempt, logs }, null, 2));
    return;
  }
  for (const { stream, path, text } of logs) {
    if (context.settings.output === 'quiet') context.print(path);
    else {
      const isEmpty = text === null || text === '';
      context.print(context.paint('bold', `==> ${stream}: ${path}${isEmpty ? ' (empty)' : ''}`));
      if (!isEmpty) context.print(plainLogLines(text).join('\n'));
    }
  }
}

async function printLog(context: CommandContext, engine: Engine, target: LogTarget): Promise<number> {
  const { workflowId, stream, tail } = target;
  const attempt = await startedAttempt(engine, target);
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
  if (printer.printed === 0) await noteEmpty(context, engine, target, attempt);
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
