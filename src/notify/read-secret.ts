import { readFile, stat } from 'node:fs/promises';
import type { SecretText } from '../core/notify/notify-model.ts';

const MOST_BYTES = 64 * 1024;

/** Reads a text that may be secret, each time anew: a file can be replaced. Messages of errors do not have the text. */
export async function readSecret(secret: SecretText, env: NodeJS.ProcessEnv): Promise<string> {
  if (typeof secret === 'string') return secret;
  const text = 'env' in secret ? env[secret.env] : await readSmall(secret.file);
  const trimmed = text?.trim() ?? '';
  if (trimmed === '')
    throw new Error(`${'env' in secret ? `variable ${secret.env}` : secret.file} has no text`);
  return trimmed;
}

async function readSmall(path: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MOST_BYTES) throw new Error(`${path} is larger than ${MOST_BYTES} bytes`);
  return readFile(path, 'utf8');
}
