import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtFile, isBuilt } from '../../core/package-files.ts';

interface PreparedStatement {
  all(...values: unknown[]): unknown[];
  run(...values: unknown[]): { changes: number | bigint };
  columns?(): unknown[];
}

/** What `node:sqlite` and its twin for older Node versions have in common. */
export interface Database {
  exec(sql: string): void;
  prepare(sql: string): PreparedStatement;
  close(): void;
}

const require = createRequire(import.meta.url);

const FROM_NPM = isBuilt ? fileURLToPath(builtFile('native/sqlite')) : '@photostructure/sqlite';

/** Opens with the SQLite of Node where it has one (22.13 and newer), else with the same API from npm. */
export function openDatabase(path: string): Database {
  const [major, minor] = process.versions.node.split('.').map(Number) as [number, number];
  const builtIn = major > 22 || (major === 22 && minor >= 13);
  if (builtIn) silenceExperimentalWarning();
  const { DatabaseSync } = require(builtIn ? 'node:sqlite' : FROM_NPM) as {
    DatabaseSync: new (path: string) => Database;
  };
  return new DatabaseSync(path);
}

/** Node announces its SQLite as experimental on stderr, which says nothing to our users. */
function silenceExperimentalWarning(): void {
  const emit = process.emitWarning;
  process.emitWarning = ((warning: string | Error, ...rest: unknown[]) => {
    if (String(warning).includes('SQLite is an experimental feature')) return;
    (emit as (...all: unknown[]) => void).call(process, warning, ...rest);
  }) as typeof process.emitWarning;
}
