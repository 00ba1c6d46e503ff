import type { z } from 'zod';
import { type ErrorCode, HoldfastError } from '../core/errors.ts';

/** The answer to an agent when a tool cannot do what it asked for. */
export interface ToolFailure {
  code: string;
  message: string;
  /** What to do next. */
  next: string;
}

/** A refusal of this server, rather than of the engine behind it. */
export class ToolError extends Error {
  readonly code: string;
  readonly next: string;

  constructor({ code, message, next }: ToolFailure) {
    super(message);
    this.name = 'ToolError';
    this.code = code;
    this.next = next;
  }
}

/** The catalogue's hints are commands for people; an agent has tools. */
const NEXT: Partial<Record<ErrorCode, string>> = {
  WORKFLOW_NOT_FOUND: 'nothing was changed; ask the user which workflow is meant',
  JOB_NOT_FOUND: 'nothing was changed; list_jobs_by_status lists the jobs and their numbers',
  NO_PENDING_FAILED:
    'nothing was changed; in this workflow failures do not wait for a decision: tell the user what you would have decided',
  NOT_PENDING:
    'nothing was changed, no decision of this call was applied; call list_pending_failed_jobs and decide only about jobs it lists',
  AGENT_LIMIT:
    'nothing was changed, no decision of this call was applied; leave these jobs to a person and say why',
  INVALID_ARGUMENT: 'nothing was changed; correct the argument and call again',
  NO_ATTEMPT: 'explain_job says why',
  RUN_ACTIVE: 'nothing was changed; try again when nothing runs; get_workflow_status shows that',
  WORKFLOW_COMPLETE: 'nothing was changed; get_workflow_summary shows how it ended',
  INVALID_SPEC: 'nothing was created; correct every line above and call again',
};

export function describeError(error: unknown): ToolFailure {
  if (error instanceof ToolError) return { code: error.code, message: error.message, next: error.next };
  if (error instanceof HoldfastError) {
    return { code: error.code, message: error.message, next: NEXT[error.code] ?? error.hint };
  }
  return {
    code: 'BUG',
    message: `unexpected: ${error instanceof Error ? error.message : String(error)}`,
    next: 'this is a bug in Holdfast: do not try again, tell the user',
  };
}

/** Every argument that is wrong, by its place. */
export function invalidArguments(tool: string, { issues }: z.ZodError): ToolError {
  const problems = issues.map(({ path, message }) => {
    const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
    return `${place.replace(/^\./, '') || 'arguments'}: ${message}`;
  });
  return new ToolError({
    code: 'INVALID_ARGUMENT',
    message: `${tool}: ${problems.join('; ')}`,
    next: 'nothing was changed; correct these arguments and call again',
  });
}
