export interface NumberedSql {
  text: string;
  /** Under which name connections keep it prepared; undefined: it is not kept. */
  name: string | undefined;
}

/** Statements with lists of values come in many lengths; connections keep this many different ones at most. */
const MOST_PREPARED = 500;

const known = new Map<string, NumberedSql>();

/** The statement with `$1, $2 …` for its `?`. */
export function numberedSql(sql: string): NumberedSql {
  const found = known.get(sql);
  if (found !== undefined) return found;
  const kept = known.size < MOST_PREPARED;
  const numbered = { text: numberPlaceholders(sql), name: kept ? `hf_${known.size + 1}` : undefined };
  if (kept) known.set(sql, numbered);
  return numbered;
}

/** Leaves every `?` alone that is inside a literal or a quoted name. */
export function numberPlaceholders(sql: string): string {
  let count = 0;
  return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\?/g, (part) => {
    if (part !== '?') return part;
    count += 1;
    return `$${count}`;
  });
}
