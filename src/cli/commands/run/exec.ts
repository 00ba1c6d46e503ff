import { readFileSync } from 'node:fs';
import type { WorkflowStatus } from '../../../contract/records/records.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { findUnfitting } from '../../../core/placement/fit.ts';
import { storyOf } from '../../../views/run-story.ts';
import { Launchers } from '../../../worker/execute/launchers.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { EndedPrinter } from '../../exec/ended-printer.ts';
import { execSpec } from '../../exec/exec-spec.ts';
import { fileProblem } from '../../file-problem.ts';
import { durationOption } from '../../options/duration-option.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { driveRun } from '../../run/drive-run.ts';
import { storeNewWorkflow } from '../../run/new-workflow.ts';
import { runEndsAt } from '../../run/time-limit.ts';

export const execCommand: Command = async (context, { args, options, lists }) => {
  const endsAt = runEndsAt({ options }, Date.now());
  const words = options.shell === true ? [args.join(' ')] : args;
  const lines = readLines(options);
  if (lines === null) noteUnfilled(context, words);
  const spec = execSpec({
    words,
    parameters: lists.param ?? [],
    lines,
    retries: wholeNumberOption('--retries', options.retries, 0),
    timeoutMs: durationOption('--timeout', options.timeout),
  });
  refuseServer(context, '`exec` runs on this machine; write a spec and `holdfast submit` it to a server');
  const workflow = await storeNewWorkflow(
    context,
    { text: JSON.stringify(spec), name: 'exec.json' },
    {},
    null,
  );
  const { cpus, memory: memory_bytes, gpus, max_parallel } = context.settings;
  const unfitting = findUnfitting(workflow.model, { cpus, memory_bytes, gpus, max_parallel, labels: [] });
  if (unfitting) throw unfitting;
  const engine = await context.openEngine({ create: true });
  const created = await engine.createWorkflow(workflow);
  const isJson = context.settings.output === 'json';
  // Stdout is what the jobs write; there is no screen beside it.
  const quiet: CommandContext = {
    ...context,
    settings: { ...context.settings, output: 'quiet' },
    show: (view, thing) => (isJson ? context.show(view, thing) : undefined),
  };
  const launchers = new Launchers(context.stateDir);
  const printer = isJson ? null : new EndedPrinter(engine, created.id, context);
  let code: number;
  try {
    const offer = { labels: [], site: null, endsAt };
    code = await driveRun(quiet, engine, created, launchers, storyOf(workflow.model, false), offer);
  } finally {
    await printer?.stop();
    void launchers.stop();
  }
  if (context.settings.output === 'table') context.narrate(summary(context, await engine.status(created.id)));
  return code;
};

/** `find -exec` has `{}` of its own; who comes from xargs or parallel means the lines of stdin. */
function noteUnfilled({ narrate }: CommandContext, words: readonly string[]): void {
  if (!words.some((word) => word.includes('{}'))) return;
  narrate(`note: {} stays as it is; with --lines there is one job for each line of stdin`);
}

/** Lines that are not empty; null: none were asked for. */
function readLines({ lines, argFile }: Invocation['options']): string[] | null {
  if (lines !== true && argFile === undefined) return null;
  if (lines === true && argFile !== undefined) throw invalid('--lines', 'not with --arg-file');
  try {
    const text = readFileSync(lines === true ? 0 : String(argFile), 'utf8');
    return text.split(/\r?\n/).filter((line) => line !== '');
  } catch (error) {
    throw invalid(lines === true ? '--lines' : String(argFile), `cannot be read: ${fileProblem(error)}`);
  }
}

function summary({ command }: CommandContext, { workflow, counts, complete }: WorkflowStatus): string {
  const parts = (['completed', 'failed', 'terminated', 'canceled'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${status}`);
  const unsuccessful = counts.failed + counts.terminated;
  const next = !complete
    ? `; \`${command('run', workflow.id)}\` resumes it`
    : unsuccessful > 0
      ? `; \`${command('failures', workflow.id)}\` shows why`
      : '';
  return `workflow ${workflow.id}: ${parts.join(', ') || 'nothing has ended'}${next}`;
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
