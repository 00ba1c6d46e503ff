import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type NodeFacts,
  type NodeOverride,
  nodeFactsFile,
  overrideFile,
  overrideText,
  readOverride,
} from '../../core/dag/node-facts.ts';
import { currentRun, readRunFile } from '../../core/dag/run-file.ts';
import { replaceFileBlocking } from '../../worker/post/replace-file.ts';
import type { PostArguments } from './post-arguments.ts';
import type { NodeSurroundings } from './posted-attempt.ts';

/** Reads what the directory of a DAG says of a node. All of it may be missing: DAGs of others have none of it. */
export function readSurroundings(
  { directory, run, run_file: path }: Pick<PostArguments, 'directory' | 'run' | 'run_file'>,
  node: string,
): NodeSurroundings {
  const text = path === null ? null : readFileSync(path, 'utf8');
  const file = text === null ? null : readRunFile(text);
  if (path !== null && file === null) throw new Error(`${path} is not a run file`);
  return {
    run: run ?? (file === null ? null : currentRun(file, readdirSync(dirname(path!)))),
    facts: readFacts(join(directory, nodeFactsFile(node))),
    override: readOverride(readIfThere(join(directory, overrideFile(node))) ?? ''),
    siteAttribute: file?.site_attribute ?? null,
  };
}

/**
 * Gives the next attempt what a rule raised. Only where the submit file includes such a file, which is there from the
 * beginning then. Returns whether it was written.
 */
export function raiseLimits(
  directory: string,
  node: string,
  before: NodeOverride,
  raised: { memory_bytes: number | null; runtime_ms: number | null },
): boolean {
  const path = join(directory, overrideFile(node));
  if (raised.memory_bytes === null && raised.runtime_ms === null) return false;
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return false;
  const { memory_bytes: bytes, runtime_ms: milliseconds } = raised;
  const override = {
    memory_mb: bytes === null ? before.memory_mb : Math.ceil(bytes / 1024 ** 2),
    time_limit_sec: milliseconds === null ? before.time_limit_sec : Math.ceil(milliseconds / 1000),
  };
  replaceFileBlocking(path, overrideText(override));
  return true;
}

function readFacts(path: string): NodeFacts | null {
  const text = readIfThere(path);
  return text === null ? null : (JSON.parse(text) as NodeFacts);
}

/** null: there is none that can be read; the attempt is classified without it. */
function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
