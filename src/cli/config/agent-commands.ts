/** Shell commands by the name of the agent that they start. */
export type AgentCommands = Record<string, string>;

const NAME = /^[A-Za-z0-9][\w.-]*$/;
/** Placeholders become quoted words; quotes around them would undo that. */
const QUOTED_PLACEHOLDER =
  /["']\{(?:prompt|mcp_config|workflow_id)\}|\{(?:prompt|mcp_config|workflow_id)\}["']/;

/** `{NAME: "command with {prompt} {mcp_config} {workflow_id}"}`, from YAML or as JSON. */
export function parseAgentCommands(raw: unknown): { value: AgentCommands } | { problem: string } {
  const commands = typeof raw === 'string' ? parseJson(raw) : raw;
  if (typeof commands !== 'object' || commands === null || Array.isArray(commands)) {
    return { problem: 'must be names with a command each' };
  }
  for (const [name, command] of Object.entries(commands)) {
    if (!NAME.test(name)) return { problem: `must have names of letters, digits and -, not ${name}` };
    if (name === 'claude') return { problem: 'must not have claude, which is built in; take another name' };
    if (typeof command !== 'string' || command.trim() === '') {
      return { problem: `must have a command for ${name}` };
    }
    if (QUOTED_PLACEHOLDER.test(command)) {
      return { problem: `must have no quotes around the placeholders of ${name}: they are quoted already` };
    }
  }
  return { value: commands as AgentCommands };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
