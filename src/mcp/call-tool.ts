import type { CallToolResult } from '@modelcontextprotocol/server';
import { describeIssue } from '../spec/schema/reading/describe-issue.ts';
import type { Session } from './session.ts';
import { describeError, invalidArguments } from './tool-error.ts';
import { findTool } from './tool-table.ts';

/** What a tool answers, or an error that an agent can act on; never throws. */
export async function callTool(session: Session, name: string, given: unknown): Promise<CallToolResult> {
  try {
    const tool = findTool(name, session.limits);
    const args = tool.input.safeParse(given ?? {}, { error: describeIssue });
    if (!args.success) throw invalidArguments(name, args.error);
    if (typeof args.data.workflow_id === 'number') session.checkWorkflow(args.data.workflow_id);
    // Only what the schema names gets out.
    const answer = tool.output.parse(await tool.run(session, args.data as never));
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (error) {
    const { code, message, next } = describeError(error);
    const answer = { error: { code, message: session.guard().clean(message), next } };
    return { content: [{ type: 'text', text: JSON.stringify(answer) }], isError: true };
  }
}
