import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Loads a package when it is first needed. A spec without templates, patterns or YAML then does not pay
 * for their parsers: together they take longer to load than a small spec takes to check.
 */
export function lazyModule<T>(name: string): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= require(name) as T;
    return loaded;
  };
}
