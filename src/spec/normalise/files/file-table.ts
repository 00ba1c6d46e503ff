import { posix } from 'node:path';
import type { Findings } from '../../findings.ts';
import { matchingIndexes, patternError } from '../../pattern.ts';
import type { SpecPath } from '../../problem.ts';
import type { FileSpec } from '../../schema/file-schema.ts';
import { isStandIn } from '../../schema/reading/parse-structure.ts';
import { didYouMean } from '../../suggest.ts';
import { expandSweep, type SharedParameters } from '../../sweep/expand-sweep.ts';
import { pathOf, type Reference } from '../job-draft.ts';
import type { TextSubstitution } from '../substitute-text.ts';

const FILE = /\$\{files\.(?:(input|output)\.)?([^}]+)\}/g;

/** The named files of a workflow. */
export class FileTable {
  readonly #paths = new Map<string, string>();
  readonly #matches = new Map<string, string[]>();
  readonly #findings: Findings;

  constructor(
    files: FileSpec[],
    shared: SharedParameters,
    substitution: TextSubstitution,
    findings: Findings,
  ) {
    this.#findings = findings;
    for (const [index, file] of files.entries()) {
      const at = ['files', index];
      for (const binding of expandSweep(file, at, shared, findings)) {
        const name = substitution.fill(file.name, binding, [...at, 'name']);
        const path = posix.normalize(substitution.fill(file.path, binding, [...at, 'path']));
        if (isStandIn(name)) continue;
        const known = this.#paths.get(name);
        if (known === undefined) this.#paths.set(name, path);
        else if (known !== path) {
          findings.expansionError([...at, 'name'], `the file name "${name}" already stands for ${known}`);
        }
      }
    }
  }

  /** The path a job means: of a name in `files`, or itself if it has a `/` or `.` and so is a path. */
  path(reference: Reference): string | undefined {
    const named = this.#paths.get(reference.text);
    if (named !== undefined) return named;
    if (/[./]/.test(reference.text)) return posix.normalize(reference.text);
    this.#findings.expansionError(
      pathOf(reference),
      `\`files\` have no "${reference.text}" (a path would be ./${reference.text})${didYouMean(reference.text, this.#paths.keys())}`,
    );
    return undefined;
  }

  /** The path of a name. */
  named(name: string): string | undefined {
    return this.#paths.get(name);
  }

  /** Names of these paths, for hints. */
  namesOf(paths: ReadonlySet<string>): string[] {
    return [...this.#paths].flatMap(([name, path]) => (paths.has(path) ? [name] : []));
  }

  /** Paths of the files in whose names the pattern is found. */
  matching(pattern: Reference): string[] {
    let paths = this.#matches.get(pattern.text);
    if (!paths) {
      paths = this.#match(pattern);
      this.#matches.set(pattern.text, paths);
    }
    return paths;
  }

  #match(pattern: Reference): string[] {
    const problem = patternError(pattern.text);
    if (problem) {
      this.#findings.error(pathOf(pattern), problem);
      return [];
    }
    const names = [...this.#paths.keys()];
    const found = matchingIndexes(pattern.text, names).map((index) => this.#paths.get(names[index]!)!);
    if (found.length === 0)
      this.#findings.expansionError(pathOf(pattern), `"${pattern.text}" matches no name in \`files\``);
    return found;
  }

  /** Replaces `${files.input.X}` and `${files.output.X}` by paths, and returns which files they were. */
  substitute(
    command: string,
    path: SpecPath,
    used: (kind: 'input' | 'output', filePath: string) => void,
  ): string {
    if (!command.includes('${files.')) return command;
    return command.replace(FILE, (written, kind: 'input' | 'output' | undefined, name: string) => {
      if (kind === undefined) {
        this.#findings.error(path, `${written}: write \${files.input.NAME} or \${files.output.NAME}`);
        return written;
      }
      const filePath = this.#paths.get(name);
      if (filePath === undefined) {
        this.#findings.expansionError(
          path,
          `${written}: \`files\` have no "${name}"${didYouMean(name, this.#paths.keys())}`,
        );
        return written;
      }
      used(kind, filePath);
      return filePath;
    });
  }
}
