import { statSync } from 'node:fs';
import type { Tokens } from '../../client/transport/server-address.ts';
import type { ServerAccess } from '../command-context.ts';
import { readTokenFile } from './read-token-file.ts';
import type { SettingOrigin } from './resolve-settings.ts';
import type { Settings } from './settings.ts';

/** The server that is asked, and the tokens for it; null: none is named. */
export function serverAccess(settings: Settings, origins: readonly SettingOrigin[]): ServerAccess | null {
  const { server, token, token_file, worker_token_file: workerFile } = settings;
  if (server === null) return null;
  const isFlag = origins.some(({ key, origin }) => key === 'token_file' && origin === 'flag');
  const file = isFlag || token === null ? token_file : null;
  const read = (readFile: (path: string) => string): Tokens => ({
    token: file === null ? token : readFile(file),
    ...(workerFile !== null && { workerToken: readFile(workerFile) }),
  });
  const readTokensAgain = (): Tokens | null => {
    try {
      return read(readAgain);
    } catch {
      // It is being replaced, or was meant to be read once.
      return null;
    }
  };
  return { url: server, ...read(readTokenFile), readTokensAgain };
}

/** A pipe has nothing for a second reader, who would wait for a writer. */
function readAgain(path: string): string {
  if (!statSync(path).isFile()) throw new Error(`${path} is no regular file`);
  return readTokenFile(path);
}
