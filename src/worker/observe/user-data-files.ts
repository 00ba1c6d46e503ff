import { constants, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import type { Claim } from '../../contract/records/exchange.ts';
import { workDirectory } from '../../core/job/log-files.ts';
import { type BoundCommand, bindUserData } from '../../spec/template/user-data-placeholders.ts';

const LIMIT_BYTES = 1024 * 1024;

/**
 * Where an attempt puts the values that it sets, or null if it sets none. Beside its work directory, which may
 * be gone before they are read.
 */
export function userDataDirectory(claim: Claim, stateDir: string): string | null {
  if (claim.config.user_data.outputs.length === 0) return null;
  return join(stateDir, `${workDirectory(claim)}.user_data`);
}

function userDataFile(directory: string, name: string): string {
  return join(directory, `${name}.json`);
}

/** The command with its values in place. Everything that the job reads must have a value, used there or not. */
export function commandWithUserData({ config, user_data }: Claim, directory: string | null): BoundCommand {
  const missing = config.user_data.inputs.filter((name) => !Object.hasOwn(user_data, name));
  if (missing.length > 0) {
    const names = missing.map((name) => `user_data ${name}`).join(', ');
    return { ok: false, problem: `${names} ${missing.length > 1 ? 'have' : 'has'} no value` };
  }
  return bindUserData(config.command, user_data, (name) => userDataFile(directory!, name));
}

export interface TakenUserData {
  values: Record<string, unknown>;
  /** What was declared and is not there, or cannot be used. */
  missing: string[];
}

/** Reads what the attempt has set. */
export async function readUserData(claim: Claim, stateDir: string): Promise<TakenUserData> {
  const directory = userDataDirectory(claim, stateDir);
  const values: [string, unknown][] = [];
  const missing: string[] = [];
  const { outputs, optional } = claim.config.user_data;
  for (const name of directory === null ? [] : outputs) {
    const read = await readJson(userDataFile(directory!, name));
    if (read.ok) values.push([name, read.value]);
    else if (read.problem !== null || !optional.includes(name))
      missing.push(`user_data ${name}${read.problem === null ? '' : ` (${read.problem})`}`);
  }
  return { values: Object.fromEntries(values), missing };
}

/**
 * Removes the directory of the attempt, and those that attempts before it have left with their workers. What
 * cannot be removed stays: nothing reads it again.
 */
export function removeUserDataDirectories(claim: Claim, stateDir: string): void {
  if (claim.config.user_data.outputs.length === 0) return;
  for (let attempt_id = 1; attempt_id <= claim.attempt_id; attempt_id += 1) {
    try {
      const directory = userDataDirectory({ ...claim, attempt_id }, stateDir)!;
      rmSync(directory, { recursive: true, force: true });
    } catch {
      // The job took away the right to, and its attempt counts as it ended.
    }
  }
}

type ReadJson = { ok: true; value: unknown } | { ok: false; problem: string | null };

async function readJson(path: string): Promise<ReadJson> {
  try {
    // A pipe would otherwise keep the reader waiting for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return { ok: false, problem: 'not a file' };
      if (facts.size > LIMIT_BYTES) return { ok: false, problem: 'over 1 MiB' };
      return parseJson(await file.readFile());
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { ok: false, problem: code === 'ENOENT' ? null : message };
  }
}

function parseJson(bytes: Buffer): ReadJson {
  try {
    return { ok: true, value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) };
  } catch {
    return { ok: false, problem: 'not JSON' };
  }
}
