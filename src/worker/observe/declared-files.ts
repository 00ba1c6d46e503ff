import { isAbsolute, resolve } from 'node:path';
import type { Claim } from '../../contract/records/exchange.ts';
import { type FingerprintPolicy, type MarkRole, MOST_MARKS } from '../../core/files/file-mark.ts';

/** A declared file of an attempt, where it is. */
export interface DeclaredFile {
  /** As declared. */
  path: string;
  role: MarkRole;
  absolute: string;
}

/** Where the user ran the command, unless the job says otherwise. */
export function directoryOf({ cwd, config }: Pick<Claim, 'cwd' | 'config'>): string {
  return config.cwd === null ? cwd : resolve(cwd, config.cwd);
}

/** Files that are fingerprinted; not those of the fresh directory of an isolated job, which is removed after it. */
export function markedFiles(claim: Pick<Claim, 'cwd' | 'config'>): DeclaredFile[] {
  const { input_files: inputs, output_files: outputs, fingerprint, isolate } = claim.config;
  if (inputs.length + outputs.length === 0 || fingerprint.by === 'off') return [];
  const directory = directoryOf(claim);
  const declared = (role: MarkRole) => (path: string) => ({
    path,
    role,
    absolute: resolve(directory, path),
  });
  const lasting = isolate ? outputs.filter((path) => isAbsolute(path)) : outputs;
  return [...inputs.map(declared('input')), ...lasting.map(declared('output'))].slice(0, MOST_MARKS);
}

/** Files above this are not read; -1: none is. */
export function mostHashedBytes({ by, max_bytes }: FingerprintPolicy): number {
  return by === 'content' ? max_bytes : -1;
}
