import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Whether a command starts this program, by its name or by its path. */
export function isOnPath(program: string): boolean {
  const directories = program.includes('/') ? [''] : (process.env.PATH ?? '').split(delimiter);
  return directories.some((directory) => isProgram(directory === '' ? program : join(directory, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
