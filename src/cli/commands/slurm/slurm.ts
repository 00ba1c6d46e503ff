import { HoldfastError } from '../../../core/errors.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { Command, Invocation } from '../../command-context.ts';

interface Action {
  /** What has to be named; null: it can be left out. */
  target: string | null;
  /** Options that it has a use for. */
  options: readonly string[];
  load: () => Promise<Command>;
}

const ACTIONS: Record<string, Action> = {
  generate: {
    target: 'the spec',
    options: ['account', 'partition', 'out'],
    load: async () => (await import('./generate.ts')).generateCommand,
  },
  plan: {
    target: 'the spec',
    options: [],
    load: async () => (await import('./plan-allocations.ts')).planAllocationsCommand,
  },
  regenerate: {
    target: 'the workflow',
    options: ['account', 'partition', 'submit', 'dryRun'],
    load: async () => (await import('./regenerate.ts')).regenerateCommand,
  },
  allocations: {
    target: null,
    options: ['all'],
    load: async () => (await import('./allocations.ts')).allocationsCommand,
  },
  cancel: {
    target: 'the allocation',
    options: ['reason'],
    load: async () => (await import('./allocations.ts')).cancelAllocationCommand,
  },
  resume: {
    target: 'the workflow and the scheduler',
    options: [],
    load: async () => (await import('./allocations.ts')).resumeSchedulerCommand,
  },
};

const FLAGS = {
  account: '--account',
  partition: '--partition',
  out: '--out',
  submit: '--submit',
  dryRun: '--dry-run',
  all: '--all',
  reason: '--reason',
};

export const slurmCommand: Command = async (context, invocation) => {
  const [name, ...args] = invocation.args;
  const action = Object.hasOwn(ACTIONS, name!) ? ACTIONS[name!]! : undefined;
  const names = Object.keys(ACTIONS);
  if (action === undefined) {
    throw invalid('slurm', `there is no action ${name} (${names.join(', ')})${didYouMean(name!, names)}`);
  }
  refuseOthers(name!, action, invocation.options);
  if (action.target !== null && args.length === 0) throw invalid(`slurm ${name}`, `name ${action.target}`);
  const run = await action.load();
  return run(context, { ...invocation, args });
};

function refuseOthers(name: string, action: Action, options: Invocation['options']): void {
  for (const [key, flag] of Object.entries(FLAGS)) {
    if (options[key] !== undefined && !action.options.includes(key)) {
      throw invalid(flag, `\`slurm ${name}\` has no use for it`);
    }
  }
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
