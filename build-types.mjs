import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

// `node build-types.mjs` leaves in dist/types/ what the types of the SDK reach, and puts the types of Zod beside them: the
// records are inferred from its schemas, and users have no Zod of ours in their node_modules.

const TYPES = 'dist/types';
const ZOD = join(TYPES, 'zod');

const IMPORTED = /\b(?:from|import)\s*\(?\s*(['"])([^'"]+)\1/g;

const IS_ZOD = /^zod(?=\/|$)/;
const ofZod = (name) => name.replace(IS_ZOD, ZOD);

const needed = new Set();

function follow(file) {
  if (needed.has(file)) return;
  needed.add(file);
  if (file.startsWith(ZOD)) {
    mkdirSync(dirname(file), { recursive: true });
    cpSync(join('node_modules/zod', relative(ZOD, file)), file);
  }
  const text = readFileSync(file, 'utf8');
  // Examples in comments import packages, too.
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '');
  const imported = new Set([...code.matchAll(IMPORTED)].map((match) => match[2]));
  for (const name of imported) {
    if (name.startsWith('.')) follow(join(dirname(file), name.replace(/\.[jt]s$/, '.d.ts')));
    else if (IS_ZOD.test(name)) follow(join(ofZod(name), 'index.d.ts'));
    else throw new Error(`${file} imports ${name}, which users of the SDK do not have`);
  }
  if (file.startsWith(ZOD)) return;
  const own = text.replace(IMPORTED, (all, _, name) =>
    IS_ZOD.test(name) ? all.replace(name, relative(dirname(file), join(ofZod(name), 'index.js'))) : all,
  );
  if (own !== text) writeFileSync(file, own);
}

rmSync(ZOD, { recursive: true, force: true });
follow(join(TYPES, 'index.d.ts'));
for (const each of readdirSync(TYPES, { recursive: true, encoding: 'utf8' })) {
  const file = join(TYPES, each);
  if (file.endsWith('.ts') && !needed.has(file)) rmSync(file);
}
