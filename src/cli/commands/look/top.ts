import { HoldfastError } from '../../../core/errors.ts';
import type { Command, CommandContext } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { userName } from '../../options/user-name.ts';
import { isWorkflowId } from '../../options/workflow-argument.ts';
import { recoveryFlags } from '../../recovery/recovery-flags.ts';
import { createPaint } from '../../terminal/styled-line.ts';
import { Top } from '../../top/run-top.ts';

const INTERRUPTED = 130;

export const topCommand: Command = async (context, { args }) => {
  refuseWithoutTerminal(context);
  const [id] = args;
  if (id !== undefined && !isWorkflowId(id)) throw invalid(id, 'is not the number of a workflow');
  const engine = await context.openEngine();
  // What cannot be read at all is an error of the command, before the screen is taken.
  const { items } = await engine.listWorkflows({ limit: 1 });
  const workflow = id === undefined ? (items[0] ?? null) : await engine.getWorkflow(Number(id));
  const { stdout, paint, server, command } = context;
  const top = new Top(
    engine,
    { input: process.stdin, output: stdout, paint },
    {
      actor: userName(),
      recovery: recoveryFlags(context, {}).request,
      isLocal: server === null,
      style: {
        get width() {
          return stdout.columns || 80;
        },
        get now() {
          return Date.now();
        },
        paint: createPaint(false),
        cwd: process.cwd(),
        command,
      },
    },
    {
      workflow: workflow === null ? null : { id: workflow.id, name: workflow.name },
      isNamed: id !== undefined,
    },
  );
  const interrupted = new AbortController();
  const stopListening = onInterrupt(() => interrupted.abort());
  try {
    await top.run(interrupted.signal);
  } finally {
    stopListening();
  }
  return interrupted.signal.aborted ? INTERRUPTED : 0;
};

function refuseWithoutTerminal({ settings, stdout, command }: CommandContext): void {
  if (settings.output !== 'table') {
    throw invalid(
      'top',
      `draws on a terminal, it has no --output ${settings.output}; \`${command('status')}\` has`,
    );
  }
  if (process.stdin.isTTY && stdout.isTTY && process.env.TERM !== 'dumb') return;
  throw invalid('top', `needs a terminal to draw on; \`${command('status')}\` prints the state once`);
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
