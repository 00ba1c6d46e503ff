import type { AgentLimits, RecoverRequest } from '../../contract/records/resolution.ts';
import { HoldfastError } from '../../core/errors.ts';
import { parseSize } from '../../core/text/quantity.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { durationOption } from '../options/duration-option.ts';
import { refuseOptions } from '../options/refuse-options.ts';
import { wholeNumberOption } from '../options/whole-number-option.ts';
import { type Agent, findAgent } from './agent.ts';

/** What `recover` and `watch --recover` may do. */
export interface RecoveryFlags {
  request: RecoverRequest;
  /** Shell command that is run before anything is retried. */
  hook: string | null;
  /** Who is asked about what is left; null if nobody. */
  agent: (Agent & { limits: AgentLimits }) | null;
}

type Options = Invocation['options'];

/** Options about the agent that is asked. */
export const OF_AGENT = ['aiAgent', 'aiTimeout', 'minConfidence', 'maxDecisions'];

const MULTIPLIER = 1.5;
/** Decisions that an agent may make each time it is started. */
const MAX_DECISIONS = 100;

/** An agent that is asked for and cannot be started is refused here, before anything is changed. */
export function recoveryFlags({ settings, server }: CommandContext, options: Options): RecoveryFlags {
  if (options.aiRecovery !== true) refuseOptions({ options, lists: {} }, OF_AGENT, 'only with --ai-recovery');
  const agent = options.aiRecovery === true ? findAgent(settings) : null;
  const limits: AgentLimits = {
    max_decisions: wholeNumberOption('--max-decisions', options.maxDecisions) ?? MAX_DECISIONS,
    min_confidence: confidenceOption(options.minConfidence) ?? 0,
  };
  return {
    request: {
      actor: 'recover',
      memory_multiplier: multiplierOption('--memory-multiplier', options.memoryMultiplier),
      runtime_multiplier: multiplierOption('--runtime-multiplier', options.runtimeMultiplier),
      // More than the machine offers could never be run here; what workers of a server offer is theirs.
      max_memory_bytes:
        sizeOption('--max-memory', options.maxMemory) ??
        (server === null || options.withWorker === true ? settings.memory : null),
      max_runtime_ms: durationOption('--max-runtime', options.maxRuntime) ?? null,
      retry_unknown: options.retryUnknown === true,
    },
    hook: typeof options.recoveryHook === 'string' ? options.recoveryHook : null,
    agent: agent && { ...agent, limits },
  };
}

function multiplierOption(name: string, value: Options[string]): number {
  if (value === undefined) return MULTIPLIER;
  const factor = decimal(value);
  if (factor > 1) return factor;
  throw invalid(name, `must be a number above 1, not ${value}`);
}

function confidenceOption(value: Options[string]): number | undefined {
  if (value === undefined) return undefined;
  const confidence = decimal(value);
  if (confidence >= 0 && confidence <= 1) return confidence;
  throw invalid('--min-confidence', `must be from 0 to 1, not ${value}`);
}

function sizeOption(name: string, value: Options[string]): number | undefined {
  if (value === undefined) return undefined;
  const bytes = parseSize(String(value));
  if (bytes) return bytes;
  throw invalid(name, `must be a size like 512m or 16g, not ${value}`);
}

function decimal(value: Options[string]): number {
  return typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
