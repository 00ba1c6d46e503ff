import { posix } from 'node:path';
import type { JobDraft } from '../job-draft.ts';

/** Which paths the jobs of a workflow write, as they declare it. */
export class WrittenFiles {
  /** Every declared output, as written and from where the workflow is run. */
  readonly #paths = new Set<string>();
  /** The directories above them. */
  readonly #above = new Set<string>();

  constructor(drafts: readonly JobDraft[]) {
    for (const draft of drafts) {
      for (const { text } of draft.outputFiles) {
        for (const path of spellings(text, draft)) {
          this.#paths.add(path);
          for (const directory of directoriesAbove(path)) this.#above.add(directory);
        }
      }
    }
  }

  /** Whether a job writes the file, something in it, or a directory that it may be in. */
  has(path: string, reader: JobDraft): boolean {
    if (this.#paths.size === 0) return false;
    return spellings(path, reader).some(
      (each) =>
        this.#paths.has(each) ||
        this.#above.has(each) ||
        directoriesAbove(each).some((directory) => this.#paths.has(directory)),
    );
  }
}

function spellings(path: string, { cwd }: JobDraft): string[] {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  return cwd === null || posix.isAbsolute(plain) ? [plain] : [plain, posix.join(cwd, plain)];
}

function directoriesAbove(path: string): string[] {
  const directories: string[] = [];
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
    directories.push(path.slice(0, at));
  }
  return directories;
}
