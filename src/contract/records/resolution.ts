import type { z } from 'zod';
import type { By } from '../by.ts';
import type {
  agentLimits,
  decisionSchema,
  failureGroup,
  failureSummary,
  recoverRequest,
  recoverResult,
  resolveRequest,
  resolveResult,
  resourceChange,
  resourceChangeResult,
  utilization,
} from '../schemas/resolution.ts';

// Decisions of people and agents about failures that nothing in the workflow covers, and recovery. The schemas describe
// them; only the limit below is loaded at run time.

/** Retries of one job in one run that agents may decide. */
export const AGENT_RETRIES = 3;

export type AgentLimits = z.infer<typeof agentLimits>;
export type ResolveRequest = By<z.infer<typeof resolveRequest>>;
export type ResolveDecision = ResolveRequest['decisions'][number];
export type ResolveResult = z.infer<typeof resolveResult>;
export type ResolvedJob = ResolveResult['jobs'][number];
export type ResolveAction = ResolvedJob['action'];
export type DecisionRecord = z.infer<typeof decisionSchema>;
export type Became = NonNullable<DecisionRecord['became']>;
export type FailureGroup = z.infer<typeof failureGroup>;
export type FailureSummary = z.infer<typeof failureSummary>;
export type FailedJob = FailureGroup['jobs'][number];
export type PastDecisions = FailureGroup['past'];
export type RecoverRequest = By<z.infer<typeof recoverRequest>>;
export type RecoverResult = z.infer<typeof recoverResult>;
export type RecoveredJob = RecoverResult['retried'][number];
export type ResourceChange = By<z.infer<typeof resourceChange>>;
export type ResourceChangeResult = z.infer<typeof resourceChangeResult>;
export type Utilization = z.infer<typeof utilization>;
