import type { SessionLimits } from './session.ts';
import type { Tool } from './tool.ts';
import { ToolError } from './tool-error.ts';
import { checkResourceUtilization } from './tools/check-resource-utilization.ts';
import { classifyAndResolveFailures } from './tools/classify-and-resolve-failures.ts';
import { createWorkflowTool } from './tools/create-workflow.ts';
import { explainJobTool } from './tools/explain-job.ts';
import { getExecutionPlan } from './tools/get-execution-plan.ts';
import { getJobDetails } from './tools/get-job-details.ts';
import { getJobLogs } from './tools/get-job-logs.ts';
import { getWorkflowStatus } from './tools/get-workflow-status.ts';
import { getWorkflowSummary } from './tools/get-workflow-summary.ts';
import { listFailedJobsTool } from './tools/list-failed-jobs.ts';
import { listJobsByStatus } from './tools/list-jobs-by-status.ts';
import { listPendingFailedJobs } from './tools/list-pending-failed-jobs.ts';
import { listResults } from './tools/list-results.ts';
import { recoverWorkflowTool } from './tools/recover-workflow.ts';
import { retryJobsTool } from './tools/retry-jobs.ts';
import { updateJobResources } from './tools/update-job-resources.ts';
import { updateWorkflowTool } from './tools/update-workflow.ts';

/** Every tool, in the order in which an agent meets them. */
export const TOOLS: readonly Tool[] = [
  listPendingFailedJobs,
  classifyAndResolveFailures,
  getWorkflowStatus,
  getWorkflowSummary,
  listFailedJobsTool,
  listJobsByStatus,
  getJobDetails,
  getJobLogs,
  explainJobTool,
  checkResourceUtilization,
  listResults,
  getExecutionPlan,
  updateJobResources,
  recoverWorkflowTool,
  retryJobsTool,
  createWorkflowTool,
  updateWorkflowTool,
];

export const TOOL_NAMES = TOOLS.map(({ name }) => name);

/** What is offered without anybody allowing it. */
export const USUAL_TOOLS = TOOLS.filter(({ kind }) => kind !== 'opt_in').map(({ name }) => name);

export function isOffered({ name, kind }: Tool, { readOnly, allowed }: SessionLimits): boolean {
  if (kind === 'reads') return true;
  return readOnly === null && (kind === 'writes' || allowed.has(name));
}

/** A tool that may be called, or an error that says who could allow it. */
export function findTool(name: string, limits: SessionLimits): Tool {
  const tool = TOOLS.find((each) => each.name === name);
  if (tool === undefined) {
    const offered = TOOLS.filter((each) => isOffered(each, limits)).map((each) => each.name);
    throw new ToolError({
      code: 'UNKNOWN_TOOL',
      message: `there is no tool ${name.slice(0, 100)}`,
      next: `use one of ${offered.join(', ')}`,
    });
  }
  if (isOffered(tool, limits)) return tool;
  throw new ToolError({
    code: 'TOOL_NOT_ALLOWED',
    message: `${name} is not allowed on this server`,
    next: `nothing was changed; ${whoCanAllow(name, limits)}. Do not try to do the same in another way.`,
  });
}

function whoCanAllow(name: string, { readOnly }: SessionLimits): string {
  if (readOnly === 'option') return 'this server was started with --read-only; a person can start it without';
  if (readOnly === 'role') return 'the token has the role viewer, and deciding needs the role operator';
  return `a person can allow it: \`holdfast mcp --allow ${name}\``;
}
