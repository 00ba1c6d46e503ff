import { z } from 'zod';
import type { Session } from './session.ts';

interface ToolKind {
  name: string;
  title: string;
  /** For an agent: what it gives, when to use it, what comes next. */
  description: string;
  /** `opt_in`: writes, and is offered only where it was allowed. */
  kind: 'reads' | 'writes' | 'opt_in';
  /** For tools that write: whether it can undo or end something; whether the same call again changes nothing. */
  effects?: { destructive: boolean; idempotent: boolean };
}

/** A tool whose arguments have not been checked yet. */
export interface Tool extends ToolKind {
  input: z.ZodObject;
  output: z.ZodObject;
  /** The arguments are those of `input`; what it returns is cut down to `output`. */
  run(session: Session, args: never): Promise<Record<string, unknown>>;
}

export function defineTool<I extends z.ZodObject, O extends z.ZodObject>(
  tool: ToolKind & {
    input: I;
    output: O;
    run(session: Session, args: z.output<I>): Promise<z.input<O>>;
  },
): Tool {
  return tool as unknown as Tool;
}

export const workflowIdArgument = z.int().positive().describe('Number of the workflow.');

export const jobArgument = z
  .union([z.int().positive(), z.string().min(1).max(500)])
  .describe('Number or name of the job.');

export const dryRunArgument = z
  .boolean()
  .default(false)
  .describe('true: show what would be changed, without changing it.');

/** Every answer begins with one sentence in words of this server. */
export const summaryField = z.string().describe('The answer in one sentence.');
export const nextField = z.string().describe('What comes next.');
export const leftOutField = z.int().describe('How many more there are that this answer has no room for.');
