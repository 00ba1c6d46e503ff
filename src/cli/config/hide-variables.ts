import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';

/**
 * Removes variables from this process so that no child inherits them, and from the copy of the environment that Linux
 * shows in /proc/PID/environ, which jobs of the same user can read. Returns the names that are still visible there.
 *
 * Removing a variable does not change that copy: it is the memory in which the process was given its environment. So
 * the bytes are overwritten where they are. Starting the process anew without them is no substitute: the first one
 * stays as the parent, with its environment.
 */
export function hideVariables(names: readonly string[]): string[] {
  const given = names.filter((name) => process.env[name] !== undefined);
  for (const name of given) delete process.env[name];
  if (given.length === 0 || process.platform !== 'linux') return [];
  try {
    overwrite(given);
  } catch {
    // What could not be overwritten is found below.
  }
  return visible(given);
}

/** Fields of /proc/self/stat after the name of the program: where the environment begins. */
const ENV_START = 47;

function overwrite(names: readonly string[]): void {
  const environment = readFileSync('/proc/self/environ');
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const start = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[ENV_START]);
  if (!Number.isSafeInteger(start) || start <= 0) return;
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    for (const { at, length } of namedEntries(environment, names)) {
      writeSync(memory, Buffer.alloc(length, '*'), 0, length, start + at);
    }
  } finally {
    closeSync(memory);
  }
}

function* namedEntries(
  environment: Buffer,
  names: readonly string[],
): Generator<{ name: string; at: number; length: number }> {
  for (let at = 0; at < environment.length; ) {
    const end = environment.indexOf(0, at);
    const stop = end < 0 ? environment.length : end;
    const entry = environment.toString('latin1', at, stop);
    const name = names.find((each) => entry.startsWith(`${each}=`));
    if (name !== undefined) yield { name, at, length: stop - at };
    at = stop + 1;
  }
}

function visible(names: readonly string[]): string[] {
  try {
    return [...namedEntries(readFileSync('/proc/self/environ'), names)].map(({ name }) => name);
  } catch {
    return [];
  }
}
