import { basename, join, resolve } from 'node:path';
import { rolldown } from 'rolldown';

const ROOT = resolve(import.meta.dirname, '..');

const built = new Map<string, Promise<string>>();

/** A module or program in TypeScript as a file for a process of its own: Node 20 loads JavaScript only. */
export function buildProgram(source: string): Promise<string> {
  const path = built.get(source) ?? bundle(source);
  built.set(source, path);
  return path;
}

async function bundle(source: string): Promise<string> {
  // Files of the same tests run side by side.
  const file = join(ROOT, 'dist/test', `${basename(source, '.ts')}-${process.pid}.mjs`);
  const bundler = await rolldown({
    input: join(ROOT, source),
    platform: 'node',
    external: (id) => /^[@\w]/.test(id),
  });
  await bundler.write({ file, format: 'esm', codeSplitting: false });
  await bundler.close();
  return file;
}
