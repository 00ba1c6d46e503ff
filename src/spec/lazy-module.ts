import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { builtFile, isBuilt } from '../core/package-files.ts';

const require = createRequire(import.meta.url);

/** Each of them is one file of the build. The same list is in build.mjs. */
const BUNDLED = ['@bgotink/kdl', '@bgotink/kdl/v1-compat', 'acorn', 'json5', 'liquidjs', 're2js', 'yaml'];

/**
 * Loads a package when it is first needed. A spec without templates, patterns or YAML then does not pay
 * for their parsers: together they take longer to load than a small spec takes to check.
 */
export function lazyModule<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    const bundled = isBuilt && BUNDLED.includes(name);
    loaded ??= require(bundled ? fileURLToPath(builtFile(fileName(name))) : name) as T;
    return loaded;
  };
}

const fileName = (name: string) => name.replace(/^@[^/]+\//, '').replaceAll('/', '-');
