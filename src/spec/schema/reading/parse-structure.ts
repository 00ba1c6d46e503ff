import type { z } from 'zod';
import type { Findings } from '../../findings.ts';
import type { SpecPath } from '../../problem.ts';
import { type WorkflowSpec, workflowSpecSchema } from '../workflow-schema.ts';
import { describeIssue, MOST_MISTAKES, structuralMistakes } from './describe-issue.ts';

/** Stands for required text that is missing or wrong; later checks pass it over. */
export const UNKNOWN = '\u{FFFD}';

/** A kind of file, and how the rest of it can still be checked when a part is wrong. */
export interface SpecShape<T> {
  schema: z.ZodType<T>;
  /** Puts something in the place of what is required and missing. */
  standIn(spec: Record<string, unknown>): void;
  /** The key that is left out where less was not enough. */
  wholeKey(path: SpecPath): SpecPath;
}

/** What an entry needs so that the rest of it can still be checked when a required part is wrong. */
const STAND_INS: Record<string, Record<string, unknown>> = {
  jobs: { name: UNKNOWN, command: UNKNOWN },
  files: { name: UNKNOWN, path: UNKNOWN },
  user_data: { name: UNKNOWN },
  resource_requirements: { name: UNKNOWN },
  failure_handlers: { name: UNKNOWN, rules: [{ match_all_exit_codes: true }] },
  slurm_schedulers: { name: UNKNOWN },
  actions: { trigger_type: 'on_workflow_start', action_type: 'run_commands' },
};

export function isStandIn(text: string): boolean {
  return text === UNKNOWN;
}

const WORKFLOW: SpecShape<WorkflowSpec> = {
  schema: workflowSpecSchema,
  standIn: (spec) => {
    for (const [section, standIn] of Object.entries(STAND_INS)) {
      const entries = spec[section];
      if (Array.isArray(entries))
        spec[section] = entries.map((entry) => ({ ...standIn, ...asObject(entry) }));
    }
    const steps = spec.steps;
    if (typeof steps === 'object' && steps !== null) {
      for (const [id, step] of Object.entries(steps)) {
        (steps as Record<string, unknown>)[id] = { exec: UNKNOWN, ...asObject(step) };
      }
    }
  },
  // The key of an entry (`jobs[3].retry`), or a whole top-level key.
  wholeKey: (path) => {
    const isEntry = path[0] === 'steps' || STAND_INS[String(path[0])] !== undefined;
    return path.slice(0, isEntry ? 3 : 1);
  },
};

export function parseWorkflow(value: unknown, findings: Findings): WorkflowSpec | undefined {
  return parseStructure(value, WORKFLOW, findings);
}

/**
 * The typed spec. Mistakes become findings, and what is wrong is left out, so that references and
 * dependencies of the rest are checked in the same pass. Undefined if nothing usable is left.
 */
export function parseStructure<T>(
  value: unknown,
  { schema, standIn, wholeKey }: SpecShape<T>,
  findings: Findings,
): T | undefined {
  const first = schema.safeParse(value, { error: describeIssue });
  if (first.success) return first.data;
  const mistakes = structuralMistakes(first.error.issues);
  for (const { path, message, unknownKey } of mistakes) findings.error(path, message, { atKey: unknownKey });
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  if (mistakes.length >= MOST_MISTAKES) return undefined;

  const rest = structuredClone(value) as Record<string, unknown>;
  let wrong = mistakes;
  // A few rounds: taking something out can only uncover what a wrong neighbour had hidden.
  for (let round = 0; round < 4; round++) {
    for (const { path, unknownKey } of wrong) {
      remove(rest, unknownKey ? path : (round === 0 ? smallestPart : wholeKey)(path));
    }
    standIn(rest);
    const again = schema.safeParse(rest, { error: describeIssue });
    if (again.success) return again.data;
    wrong = structuralMistakes(again.error.issues);
  }
  return undefined;
}

/** The innermost key around the mistake: removing an item of a list would move the ones after it. */
function smallestPart(path: SpecPath): SpecPath {
  if (path.length <= 2) return path;
  return path.slice(0, path.findLastIndex((part) => typeof part === 'string') + 1);
}

function remove(root: unknown, path: SpecPath): void {
  let parent = root;
  for (const part of path.slice(0, -1)) {
    if (typeof parent !== 'object' || parent === null) return;
    parent = (parent as Record<string | number, unknown>)[part];
  }
  const last = path.at(-1);
  if (typeof parent !== 'object' || parent === null || last === undefined) return;
  // Entries keep their index, so that later messages point at the right one.
  if (Array.isArray(parent)) parent[last as number] = {};
  else delete (parent as Record<string, unknown>)[last];
}

export function asObject(entry: unknown): object {
  return typeof entry === 'object' && entry !== null && !Array.isArray(entry) ? entry : {};
}
