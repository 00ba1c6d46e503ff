/** How a request gets at the files that it names. Paths are as the spec has them, relative to its own directory. */
export interface SpecFiles {
  /** Throws an error whose message says why the file cannot be read. */
  readText(path: string): string;
  /** Files that match a pattern with `*`, `?` and `**`, sorted, as jobs name them. Throws as above. */
  listFiles(pattern: string): string[];
}

/** What a request reads besides its spec, sent along to a server that does not have these files. */
export interface SentFiles {
  /** Texts of files by their paths in the spec. */
  texts: Record<string, string>;
  /** What patterns matched, by the pattern. */
  lists: Record<string, string[]>;
}

/** Reads from what was sent along. */
export function sentFiles({ texts, lists }: SentFiles): SpecFiles {
  const own = <T>(table: Record<string, T>, key: string): T => {
    if (!Object.hasOwn(table, key)) throw new Error('it was not sent along with the spec');
    return table[key]!;
  };
  return { readText: (path) => own(texts, path), listFiles: (pattern) => own(lists, pattern) };
}

/** Passes on to `files`, and keeps what was read, to be sent along. */
export function keptFiles(files: SpecFiles): { files: SpecFiles; sent: SentFiles } {
  const sent: SentFiles = { texts: {}, lists: {} };
  const keep = <T>(table: Record<string, T>, key: string, value: T): T => {
    Object.defineProperty(table, key, { value, enumerable: true, configurable: true, writable: true });
    return value;
  };
  return {
    sent,
    files: {
      readText: (path) => keep(sent.texts, path, files.readText(path)),
      listFiles: (pattern) => keep(sent.lists, pattern, files.listFiles(pattern)),
    },
  };
}
