import { isBash, shellName } from '../../../core/job/shell.ts';
import type { Findings } from '../../findings.ts';
import type { SpecPath } from '../../problem.ts';
import { didYouMean } from '../../suggest.ts';
import { placeholdersIn } from '../../sweep/placeholders.ts';
import { placeTexts } from '../../template/place-texts.ts';
import { describeRefusal } from '../../template/refusals.ts';
import { isForeign, nearPlaceholder } from '../../variables/near-placeholder.ts';
import type { JobDraft, Reference } from '../job-draft.ts';
import type { FileTable } from './file-table.ts';
import { outOfSight } from './isolated-paths.ts';

/** `{input}`, `{output.NAME}`. After a `$` it is a shell variable and stays. */
const PLACEHOLDER = /(?<!\$)\{(input|output)(?:\.([^\s{}]+))?\}/g;
const NAMES = ['input', 'output'];

/** Characters that all paths together may add: a sweep of thousands can read thousands of files each. */
const MAX_ADDED = 50_000_000;

/**
 * Replaces `{input}` and `{output}` by the declared files of each job. Expansions with equal names are one job by now,
 * so that a job that gathers a sweep reads the files of all of it.
 */
export function fillFiles(drafts: readonly JobDraft[], files: FileTable, findings: Findings): void {
  const budget = { left: MAX_ADDED };
  for (const draft of drafts) {
    if (draft.path[0] !== 'jobs') continue;
    const fill = (text: string, key: string) => {
      const hasFiles = draft.inputFiles.length + draft.outputFiles.length > 0;
      if (!text.includes('{') || !(hasFiles || /\{(?:in|out)put[.}]/.test(text))) return text;
      return new Filling(draft, [...draft.path, key], files, findings, budget).fill(text);
    };
    draft.command = fill(draft.command, 'command');
    if (draft.post !== null) {
      const command = fill(draft.post.command, 'post');
      if (command !== draft.post.command) draft.post = { ...draft.post, command };
    }
    if (budget.left < 0) {
      findings.error([], `{input} and {output} would add more than ${MAX_ADDED} characters to the commands`);
      return;
    }
  }
}

class Filling {
  readonly #draft: JobDraft;
  readonly #path: SpecPath;
  readonly #files: FileTable;
  readonly #findings: Findings;
  readonly #budget: { left: number };

  constructor(
    draft: JobDraft,
    path: SpecPath,
    files: FileTable,
    findings: Findings,
    budget: { left: number },
  ) {
    this.#draft = draft;
    this.#path = path;
    this.#files = files;
    this.#findings = findings;
    this.#budget = budget;
  }

  fill(text: string): string {
    this.#checkNear(text);
    const parts: (string | readonly string[])[] = [];
    let at = 0;
    for (const match of text.matchAll(PLACEHOLDER)) {
      const [written, kind, name] = match;
      const place = {
        written,
        name: kind!,
        format: undefined,
        start: match.index,
        end: match.index + written.length,
      };
      if (isForeign(text, place)) continue;
      const paths = this.#paths(written, kind as 'input' | 'output', name);
      if (paths === undefined) continue;
      this.#checkSeen(kind as 'input' | 'output', paths);
      parts.push(text.slice(at, place.start), paths);
      at = place.end;
      this.#budget.left -= paths.reduce((sum, path) => sum + path.length + 1, 0);
      if (this.#budget.left < 0) return text;
    }
    return parts.length === 0 ? text : this.#placed([...parts, text.slice(at)]);
  }

  #placed(parts: readonly (string | readonly string[])[]): string {
    const { shell } = this.#draft.settings;
    const placed = placeTexts(parts, isBash(shell));
    if (placed.ok) return placed.text;
    const problem =
      placed.refusal === null
        ? `has characters that mean something in a program of ${shellName(shell)}; use \`shell: strict\`, or another name`
        : `cannot stand there: ${describeRefusal(placed.refusal, '{input}')}`;
    this.#findings.expansionError(this.#path, `the path ${JSON.stringify(placed.value)} ${problem}`);
    return '';
  }

  #paths(written: string, kind: 'input' | 'output', name: string | undefined): readonly string[] | undefined {
    const declared = [...new Set(this.#declared(kind).map(({ text }) => text))];
    if (declared.length === 0) {
      this.#mistake(
        `${written} stands for the \`${kind}_files\` of the job, and it has none (write { ${kind} } for braces that stay)`,
      );
      return undefined;
    }
    if (name === undefined) return declared;
    const named = this.#files.named(name);
    const found = declared.filter((path) => path === named || path === name || baseName(path) === name);
    if (found.length === 1) return found;
    if (found.length > 1) {
      this.#mistake(
        `${written} could be ${found.slice(0, 3).join(' or ')}; give the file a name in \`files\``,
      );
    } else {
      const names = [...this.#files.namesOf(new Set(declared)), ...declared.map(baseName)];
      this.#mistake(
        `${written}: the \`${kind}_files\` of the job have no "${name}"${didYouMean(name, names)}`,
      );
    }
    return undefined;
  }

  #checkSeen(kind: 'input' | 'output', paths: readonly string[]): void {
    if (!this.#draft.settings.isolate) return;
    const place = this.#path.at(-1) === 'post' ? 'post' : 'command';
    const hidden = paths
      .map((path) => outOfSight(kind, path, place))
      .find((problem) => problem !== undefined);
    if (hidden !== undefined) this.#mistake(hidden);
  }

  /** `{inptu}` in a job that has files. */
  #checkNear(text: string): void {
    for (const placeholder of placeholdersIn(text)) {
      const { name, written } = placeholder;
      if (NAMES.includes(name)) continue;
      const hint = nearPlaceholder(text, placeholder, NAMES);
      if (hint !== '')
        this.#mistake(`${written} stands for nothing${hint} (write { ${name} } for braces that stay)`);
    }
  }

  #declared(kind: 'input' | 'output'): readonly Reference[] {
    return kind === 'input' ? this.#draft.inputFiles : this.#draft.outputFiles;
  }

  #mistake(message: string): void {
    this.#findings.expansionError(this.#path, message);
  }
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
