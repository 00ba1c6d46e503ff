/** A node of a DAG file. */
export interface DagLine {
  node: string;
  /** The submit file, or the DAG file of a sub-DAG; null: it is described inside of the DAG. */
  file: string | null;
  /** Relative to the directory of the DAG; '': that directory. */
  directory: string;
  isDag: boolean;
}

/** What of a DAG file is needed to find its evidence. */
export interface DagLines {
  nodes: DagLine[];
  /** Splices, whose nodes are part of the DAG under `NAME+NODE`. */
  splices: DagLine[];
  statusFile: string | null;
  /** Values of `VARS` by node. */
  variables: Map<string, Map<string, string>>;
}

export function readDagLines(text: string): DagLines {
  const found: DagLines = { nodes: [], splices: [], statusFile: null, variables: new Map() };
  for (const line of text.replace(/\\\r?\n/g, ' ').split('\n')) {
    const words = line.trim().split(/\s+/);
    const command = (words[0] ?? '').toUpperCase();
    const after = (keyword: string) => {
      const at = words.findIndex((word) => word.toUpperCase() === keyword);
      return at < 0 ? '' : (words[at + 1] ?? '');
    };
    if (['JOB', 'NODE', 'FINAL', 'PROVISIONER', 'SERVICE'].includes(command) && words[1] !== undefined) {
      const file = words[2] === undefined || words[2] === '{' ? null : words[2];
      found.nodes.push({ node: words[1], file, directory: after('DIR'), isDag: false });
    } else if (command === 'SUBDAG' && words[2] !== undefined) {
      found.nodes.push({ node: words[2], file: words[3] ?? null, directory: after('DIR'), isDag: true });
    } else if (command === 'SPLICE' && words[1] !== undefined) {
      found.splices.push({ node: words[1], file: words[2] ?? null, directory: after('DIR'), isDag: true });
    } else if (command === 'NODE_STATUS_FILE') found.statusFile = words[1] ?? null;
    else if (command === 'VARS' && words[1] !== undefined) {
      const values = found.variables.get(words[1]) ?? new Map<string, string>();
      found.variables.set(words[1], values);
      for (const [, name, value] of line.matchAll(/(\w+)\s*=\s*"((?:[^"\\]|\\.)*)"/g)) {
        values.set(name!.toLowerCase(), value!.replace(/\\(.)/g, '$1'));
      }
    }
  }
  return found;
}
