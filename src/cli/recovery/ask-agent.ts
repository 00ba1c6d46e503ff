import { allPages } from '../../contract/all-pages.ts';
import type { Engine } from '../../contract/engine.ts';
import type { DecisionRecord } from '../../contract/records/resolution.ts';
import { formatDuration } from '../../core/text/quantity.ts';
import { Secrets } from '../../core/text/secrets.ts';
import type { CommandContext } from '../command-context.ts';
import { agentPrompt } from './agent-prompt.ts';
import { McpConfigFile } from './mcp-config-file.ts';
import type { AgentReport } from './recovery.ts';
import type { RecoveryFlags } from './recovery-flags.ts';
import { type ProgramEnd, runProgram } from './run-program.ts';
import { Transcript } from './transcript.ts';

/** Starts an agent for one workflow, and records the result in the audit trail. */
export async function askAgent(
  { stateDir, settings, server }: Pick<CommandContext, 'stateDir' | 'settings' | 'server'>,
  engine: Engine,
  workflowId: number,
  agent: NonNullable<RecoveryFlags['agent']>,
  signal: AbortSignal,
): Promise<AgentReport> {
  const { name, limits, timeoutMs } = agent;
  const actor = `agent:${name}`;
  const before = (await engine.listDecisions({ limit: 1 })).items[0]?.id ?? 0;
  const transcript = new Transcript();
  const config = new McpConfigFile({ stateDir, server, workflowId, agentName: name, limits });
  const prompt = agentPrompt(workflowId);
  let end: ProgramEnd;
  try {
    end = await runProgram({
      command: agent.command({ prompt, mcpConfig: config.path, workflowId }),
      input: prompt,
      timeoutMs,
      graceMs: settings.grace,
      signal,
      onOutput: transcript.add,
    });
  } finally {
    config.remove();
  }
  const decisions = (await decisionsAfter(engine, workflowId, before)).filter((each) => each.actor === actor);
  const { counts } = await engine.status(workflowId);
  const text = transcript.text(new Secrets([ownEnvironment(server)]));
  const succeeded = end.exitCode === 0 && !end.timedOut && !end.interrupted;
  const report: AgentReport = {
    agent: name,
    end: describeEnd(end, timeoutMs),
    succeeded,
    output: succeeded ? [] : lastLines(text),
    interrupted: end.interrupted,
    decisions,
    left: counts.pending_failed,
  };
  await engine.addEvent(workflowId, {
    type: 'agent',
    actor,
    reason: `${report.end}, ${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}`,
    data: {
      agent: name,
      exit_code: end.exitCode,
      signal: end.signal,
      timed_out: end.timedOut,
      interrupted: end.interrupted,
      problem: end.problem,
      duration_ms: Math.round(end.durationMs),
      decisions: decisions.length,
      left: report.left,
      transcript: text,
      omitted_bytes: transcript.omittedBytes,
    },
  });
  return report;
}

/** How much of what a failing agent printed is shown; all of it is in its event. */
const SHOWN_LINES = 20;

function lastLines(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trimEnd());
  return lines.filter((line) => line !== '').slice(-SHOWN_LINES);
}

/** With the token, which is not in the environment any more. */
function ownEnvironment(server: CommandContext['server']): Record<string, string> {
  const token = server?.token ?? null;
  return { ...process.env, ...(token !== null && { HOLDFAST_TOKEN: token }) } as Record<string, string>;
}

/** Oldest first. */
async function decisionsAfter(engine: Engine, workflowId: number, before: number): Promise<DecisionRecord[]> {
  const all = await allPages((page) => engine.listDecisions({ ...page, workflow_id: workflowId }));
  return all.filter(({ id }) => id > before).reverse();
}

function describeEnd(end: ProgramEnd, timeoutMs: number): string {
  if (end.problem !== null) return `could not be started: ${end.problem}`;
  if (end.interrupted) return `interrupted after ${formatDuration(end.durationMs)}`;
  if (end.timedOut) return `ended by its time limit of ${formatDuration(timeoutMs)}`;
  return `${end.signal ?? `exit ${end.exitCode}`} after ${formatDuration(end.durationMs)}`;
}
