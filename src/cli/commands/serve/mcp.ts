import { resolve } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import { serveMcp } from '../../../mcp/serve-mcp.ts';
import { type NewWorkflowPlace, Session, type SessionLimits } from '../../../mcp/session.ts';
import { TOOL_NAMES } from '../../../mcp/tool-table.ts';
import { didYouMean } from '../../../spec/suggest.ts';
import type { Command, CommandContext, Invocation } from '../../command-context.ts';
import { onInterrupt } from '../../interrupts.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { retryDefaults } from '../../read-spec.ts';
import { placeOfWorkers } from '../../run/place-of-workers.ts';

const DEFAULT_MAX_DECISIONS = 100;
const DEFAULT_AGENT = 'mcp';
const CREATE = 'create_workflow';

export const mcpCommand: Command = async (context, { options }) => {
  const limits = limitsOf(options);
  const engine = await context.openEngine({ create: limits.allowed.has(CREATE) && limits.readOnly === null });
  if (limits.workflowId !== null) await engine.getWorkflow(limits.workflowId);
  const session = new Session({
    engine,
    limits,
    place: placeOf(context),
    environment: { ...process.env, HOLDFAST_TOKEN: context.server?.token ?? undefined },
  });
  const interrupted = new AbortController();
  const stop = onInterrupt(() => interrupted.abort());
  try {
    await serveMcp(session, (problem) => context.narrate(`warning: ${problem}`), interrupted.signal);
  } finally {
    stop();
  }
  return 0;
};

function limitsOf(options: Invocation['options']): SessionLimits {
  const workflowId = wholeNumberOption('--workflow', options.workflow) ?? null;
  const allowed = allowedTools(options.allow);
  if (workflowId !== null && allowed.has(CREATE)) {
    throw invalid('--allow', `${CREATE} makes workflows that a server for one --workflow does not see`);
  }
  return {
    workflowId,
    readOnly: options.readOnly === true ? 'option' : null,
    allowed,
    maxDecisions: wholeNumberOption('--max-decisions', options.maxDecisions, 0) ?? DEFAULT_MAX_DECISIONS,
    minConfidence: confidence(options.minConfidence),
    agentName: agentName(options.agentName),
  };
}

function allowedTools(text: string | boolean | undefined): Set<string> {
  if (typeof text !== 'string') return new Set();
  const names = text.split(',').map((name) => name.trim());
  for (const name of names) {
    if (!TOOL_NAMES.includes(name)) {
      throw invalid('--allow', `there is no tool ${name}${didYouMean(name, TOOL_NAMES)}`);
    }
  }
  return new Set(names);
}

function confidence(text: string | boolean | undefined): number {
  if (text === undefined) return 0;
  const value = typeof text === 'string' && /^\d*\.?\d+$/.test(text) ? Number(text) : -1;
  if (value >= 0 && value <= 1) return value;
  throw invalid('--min-confidence', `must be a number from 0 to 1, not ${text}`);
}

/** It is part of the actor in the audit trail, which must stay one word. */
function agentName(text: string | boolean | undefined): string {
  if (text === undefined) return DEFAULT_AGENT;
  if (typeof text === 'string' && /^[\w.@-]{1,64}$/.test(text)) return text;
  throw invalid('--agent-name', 'must be at most 64 letters, digits and . _ @ -');
}

function placeOf(context: CommandContext): NewWorkflowPlace {
  const { settings, origins, server } = context;
  if (server !== null) return placeOfWorkers(context);
  return {
    cwd: process.cwd(),
    outputDir: resolve(settings.output_dir),
    offer: {
      cpus: settings.cpus,
      memory_bytes: settings.memory,
      gpus: settings.gpus,
      max_parallel: settings.max_parallel,
    },
    retryDefaults: retryDefaults(origins),
  };
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
