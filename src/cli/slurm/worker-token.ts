import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import type { ServedEngine } from '../../contract/engine.ts';
import { makeDirectory } from '../../host/make-directory.ts';
import { readTokenFile } from '../config/read-token-file.ts';
import { userName } from '../options/user-name.ts';

/** A file with a token for workers in allocations: the one that is there if it is still valid, else a new one. */
export async function workerTokenFile(
  engine: Pick<ServedEngine, 'authenticate' | 'createToken'>,
  path: string,
): Promise<string> {
  const known = existsSync(path) ? readTokenFile(path) : null;
  if (known !== null && (await engine.authenticate(known))?.role === 'worker') return path;
  const { secret } = await engine.createToken({
    name: `allocations of ${hostname()}`,
    role: 'worker',
    expires_at_ms: null,
    actor: userName(),
  });
  makeDirectory(dirname(path), 0o700);
  writeFileSync(path, `${secret}\n`, { mode: 0o600 });
  chmodSync(path, 0o600);
  return path;
}
