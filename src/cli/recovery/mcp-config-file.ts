import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentLimits } from '../../contract/records/resolution.ts';
import { CLI_PROGRAM } from '../../core/package-files.ts';
import type { ServerAccess } from '../command-context.ts';
import { SERVER_NAME } from './agent.ts';

const PROGRAM = fileURLToPath(CLI_PROGRAM);

export interface ServerOrder {
  stateDir: string;
  /** null: the state directory is what it works on. */
  server: ServerAccess | null;
  workflowId: number;
  agentName: string;
  limits: AgentLimits;
}

/** A file with which an MCP client starts our server for one workflow, for this user's eyes. */
export class McpConfigFile {
  readonly path: string;
  readonly #directory: string;

  constructor({ stateDir, server, workflowId, agentName, limits }: ServerOrder) {
    this.#directory = mkdtempSync(join(tmpdir(), 'holdfast-agent-'));
    this.path = join(this.#directory, 'mcp.json');
    const args = [
      PROGRAM,
      'mcp',
      ...(server === null ? ['--dir', stateDir] : this.#access(server)),
      '--workflow',
      String(workflowId),
      '--max-decisions',
      String(limits.max_decisions),
      '--min-confidence',
      String(limits.min_confidence),
      '--agent-name',
      agentName,
    ];
    const started = { type: 'stdio', command: process.execPath, args };
    writeFileSync(this.path, JSON.stringify({ mcpServers: { [SERVER_NAME]: started } }), { mode: 0o600 });
  }

  /** The token in a file of its own: what an agent starts shows its arguments to everybody on the machine. */
  #access({ url, token }: ServerAccess): string[] {
    if (token === null) return ['--server', url];
    const file = join(this.#directory, 'token');
    writeFileSync(file, token, { mode: 0o600 });
    return ['--server', url, '--token-file', file];
  }

  remove(): void {
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
