import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AgentLimits } from '../../core/resolution.ts';
import { SERVER_NAME } from './agent.ts';

const PROGRAM = fileURLToPath(new URL('../../../bin/holdfast.js', import.meta.url));

export interface ServerOrder {
  stateDir: string;
  workflowId: number;
  agentName: string;
  limits: AgentLimits;
}

/** A file that tells an MCP client how to start our server for one workflow, for this user's eyes. */
export class McpConfigFile {
  readonly path: string;
  private readonly directory: string;

  constructor({ stateDir, workflowId, agentName, limits }: ServerOrder) {
    const args = [
      PROGRAM,
      'mcp',
      '--dir',
      stateDir,
      '--workflow',
      String(workflowId),
      '--max-decisions',
      String(limits.max_decisions),
      '--min-confidence',
      String(limits.min_confidence),
      '--agent-name',
      agentName,
    ];
    const server = { type: 'stdio', command: process.execPath, args };
    this.directory = mkdtempSync(join(tmpdir(), 'holdfast-agent-'));
    this.path = join(this.directory, 'mcp.json');
    writeFileSync(this.path, JSON.stringify({ mcpServers: { [SERVER_NAME]: server } }), { mode: 0o600 });
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
