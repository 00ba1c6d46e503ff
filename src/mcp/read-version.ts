import { readFileSync } from 'node:fs';
import { PACKAGE_JSON } from '../core/package-files.ts';

/** Of this package. */
export function readVersion(): string {
  const text = readFileSync(PACKAGE_JSON, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
