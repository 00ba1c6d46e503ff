import { readdirSync, readFileSync, statSync } from 'node:fs';
import { packageDirectory } from '../core/package-files.ts';

export interface ShippedPage {
  uri: string;
  name: string;
  title: string;
  description: string;
  mimeType: string;
}

const FOLDERS = ['docs', 'examples'];

const MIME_TYPES: Record<string, string> = {
  md: 'text/markdown',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  json: 'application/json',
  json5: 'application/json5',
  kdl: 'text/plain',
  sh: 'text/x-shellscript',
  py: 'text/x-python',
  js: 'text/javascript',
  mjs: 'text/javascript',
  ts: 'text/x-typescript',
};

/** Notes for those who change Holdfast, and not for those who use it. */
const NOT_FOR_USERS = /^(?:adr\/|architecture\.md$|bench\.md$|conformance|screenshots\/)/;

const MOST_BYTES = 256 * 1024;

/** The documentation and the examples of the package as resources, known by their paths: `holdfast://docs/retry.md`. */
export function shippedPages(): ShippedPage[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(packageDirectory(folder), { recursive: true, encoding: 'utf8' })
      .toSorted()
      .flatMap((path) => {
        const file = path.replaceAll('\\', '/');
        const mimeType = MIME_TYPES[/\.(\w+)$/.exec(file)?.[1] ?? ''];
        if (mimeType === undefined || NOT_FOR_USERS.test(file)) return [];
        if (statSync(new URL(file, packageDirectory(folder))).size > MOST_BYTES) return [];
        const text = readFileSync(new URL(file, packageDirectory(folder)), 'utf8');
        return [
          {
            uri: `holdfast://${folder}/${file}`,
            name: `${folder}/${file}`,
            ...aboutPage(file, text),
            mimeType,
          },
        ];
      }),
  );
}

/** What a page that is listed contains; undefined: there is none. */
export function readShippedPage(uri: string): { mimeType: string; text: string } | undefined {
  // Only what is listed, so that no path leads out of the package.
  const page = shippedPages().find((each) => each.uri === uri);
  if (page === undefined) return undefined;
  const text = readFileSync(new URL(page.name, packageDirectory('.')), 'utf8');
  return { mimeType: page.mimeType, text };
}

/** The heading of a page, and the first line of a comment. */
function aboutPage(file: string, text: string): { title: string; description: string } {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const [first = '', second = ''] = lines;
  if (file.endsWith('.md')) return { title: first.replace(/^#+ /, ''), description: second };
  const isComment = /^(?:#(?!!)|\/\/)/.test(first);
  return {
    title: file,
    description: isComment ? first.replace(/^(?:#|\/\/) ?/, '') : 'A file of an example.',
  };
}
