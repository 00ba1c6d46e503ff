/** The head of a heredoc. */
export interface Heredoc {
  delimiter: string;
  stripTabs: boolean;
  isExpanded: boolean;
  /** Behind its delimiter. */
  end: number;
  /** Where a value stands in the delimiter; undefined: there is none. */
  valueAt: number | undefined;
}

const HEREDOC = /<<(-?)[ \t]*((?:\\[\s\S]|'[^']*'|"[^"]*"|[^\s;&|<>()'"\\])+)/y;

/** What begins at this place, if it is a heredoc. */
export function heredocAt(text: string, at: number): Heredoc | undefined {
  HEREDOC.lastIndex = at;
  const match = HEREDOC.exec(text);
  if (match === null) return undefined;
  const [whole, dash] = match;
  const written = match[2]!;
  const value = whole.indexOf('\0');
  const delimiter = written.replace(/\\([\s\S])|['"]/g, '$1');
  return {
    delimiter,
    stripTabs: dash === '-',
    isExpanded: delimiter === written,
    end: at + whole.length,
    valueAt: value === -1 ? undefined : at + value,
  };
}
