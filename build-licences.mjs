import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to
whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** Writes the licences of the packages that are in a bundle. */
export const licences = {
  name: 'licences',
  generateBundle(_, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => chunk.moduleIds ?? []);
    const found = modules.map((id) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0]);
    const packages = [...new Set(found.filter((directory) => directory !== undefined))].toSorted();
    const source = packages.map(licenceOf).join('\n\n');
    this.emitFile({ type: 'asset', fileName: 'THIRD-PARTY-LICENSES.txt', source });
  },
};

function licenceOf(directory) {
  const { name, version, license, author } = JSON.parse(
    readFileSync(join(directory, 'package.json'), 'utf8'),
  );
  const files = readdirSync(directory);
  const read = (pattern) => {
    const file = files.find((each) => pattern.test(each));
    return file === undefined ? undefined : readFileSync(join(directory, file), 'utf8');
  };
  const section = /^## licen[cs]e\n(.*)/ims.exec(read(/^readme/i) ?? '')?.[1];
  const text =
    read(/^(?:licen[cs]e|copying)/i) ?? (section?.includes(MIT.slice(0, 40)) ? section : undefined);
  if (text === undefined && license !== 'MIT') throw new Error(`${name} has no licence file`);
  // The author named the licence and left its text out.
  const found = text ?? `Copyright (c) ${(author.name ?? author).replace(/ <.*/, '')}\n\n${MIT}`;
  return `${name} ${version} (${license})\n\n${found.trim()}\n`;
}
