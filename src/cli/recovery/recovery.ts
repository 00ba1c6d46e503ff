import type { DecisionRecord, RecoverResult } from '../../contract/records/resolution.ts';

/** What an agent did. */
export interface AgentReport {
  agent: string;
  /** `exit 0 after 12s`. */
  end: string;
  /** It ended by itself, with 0. */
  succeeded: boolean;
  interrupted: boolean;
  /** The last lines that it printed, if it did not succeed. */
  output: string[];
  decisions: DecisionRecord[];
  /** How many jobs still wait for a decision. */
  left: number;
}

/** What was done about the failures of a workflow, or would be. */
export interface Recovery {
  workflowId: number;
  result: RecoverResult;
  /** null if no agent was asked. */
  agent: AgentReport | null;
  /** Of a dry run: how many jobs an agent would be asked about. */
  wouldAsk: number;
}
