import { HoldfastError } from '../../core/errors.ts';
import { isOnPath } from '../../host/is-on-path.ts';
import { USUAL_TOOLS } from '../../mcp/tool-table.ts';
import type { Settings } from '../config/settings.ts';

/** What an agent's command is made of. */
export interface AgentPlaces {
  prompt: string;
  /** File with which an MCP client starts the server. */
  mcpConfig: string;
  workflowId: number;
}

/** A program that can be asked to decide. It reads the prompt from stdin; a command may also take it as a word. */
export interface Agent {
  name: string;
  timeoutMs: number;
  command: (places: AgentPlaces) => [string, ...string[]];
}

/** The name of our server in the MCP configuration. */
export const SERVER_NAME = 'holdfast';

/** The agent that the settings name; one that is unknown or not installed is an error. */
export function findAgent({ ai_agent: name, ai_agents: others, ai_timeout }: Settings): Agent {
  const written = Object.hasOwn(others, name) ? others[name] : undefined;
  if (name !== 'claude' && written === undefined) {
    const known = ['claude', ...Object.keys(others)].join(', ');
    throw invalid(`there is no agent ${name}; known are ${known}, others are commands in ai_agents`);
  }
  const program = written === undefined ? 'claude' : programOf(written);
  if (program !== null && !isOnPath(program)) {
    throw invalid(`${program} is not on PATH, nothing was changed; install it, or name another agent`);
  }
  return {
    name,
    timeoutMs: ai_timeout,
    command: written === undefined ? claude : (places) => ['bash', '-c', fillIn(written, places)],
  };
}

/** No built-in tools and no other servers: what it reads in logs cannot make it touch anything else. */
function claude({ mcpConfig }: AgentPlaces): [string, ...string[]] {
  return [
    'claude',
    '--print',
    '--mcp-config',
    mcpConfig,
    '--strict-mcp-config',
    '--tools',
    '',
    '--allowedTools',
    USUAL_TOOLS.map((tool) => `mcp__${SERVER_NAME}__${tool}`).join(','),
  ];
}

function fillIn(command: string, { prompt, mcpConfig, workflowId }: AgentPlaces): string {
  const values: Record<string, string> = {
    prompt,
    mcp_config: mcpConfig,
    workflow_id: String(workflowId),
  };
  return command.replace(/\{(prompt|mcp_config|workflow_id)\}/g, (_, name: string) => quoted(values[name]!));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The program that a shell command starts; null where only the shell knows. */
function programOf(command: string): string | null {
  return /^\s*([\w.+/-]+)(?=\s|$)/.exec(command)?.[1] ?? null;
}

function invalid(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--ai-agent', problem });
}
