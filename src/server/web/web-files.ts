import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HoldfastError } from '../../core/errors.ts';
import { WEB_DIRECTORY } from '../../core/package-files.ts';

/** A file of the web application as it is sent. */
export interface WebFile {
  type: string;
  plain: Buffer;
  /** Compressed by the build; null where that does not help. */
  gzip: Buffer | null;
  etag: string;
}

const TYPES: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

/**
 * The web application as it was built. Only names that were in the directory when the server started are answered, so
 * that no request becomes a path.
 */
export class WebFiles {
  readonly #directory: string;
  readonly #assets: ReadonlySet<string>;
  readonly #read = new Map<string, WebFile>();

  constructor(directory: string, assets: readonly string[]) {
    this.#directory = directory;
    this.#assets = new Set(assets);
  }

  /** null: this copy was built without it, as `npm run dev` does. */
  static open(directory = fileURLToPath(WEB_DIRECTORY)): WebFiles | null {
    if (!existsSync(join(directory, 'index.html'))) return null;
    return new WebFiles(directory, readdirSync(join(directory, 'assets')));
  }

  index(): WebFile {
    return this.#load('index.html');
  }

  asset(name: string): WebFile {
    if (this.#assets.has(name) && typeOf(name) !== undefined) return this.#load(`assets/${name}`);
    throw new HoldfastError('NO_ENDPOINT', { method: 'GET', path: `/assets/${name.slice(0, 200)}` });
  }

  /** From memory after the first time: there are few, and they are small. */
  #load(path: string): WebFile {
    const known = this.#read.get(path);
    if (known !== undefined) return known;
    const plain = readFileSync(join(this.#directory, path));
    const compressed = join(this.#directory, `${path}.gz`);
    const file = {
      type: typeOf(path)!,
      plain,
      gzip: existsSync(compressed) ? readFileSync(compressed) : null,
      etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    };
    this.#read.set(path, file);
    return file;
  }
}

function typeOf(name: string): string | undefined {
  return TYPES[/\.(\w+)$/.exec(name)?.[1] ?? ''];
}
