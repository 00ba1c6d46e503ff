/** What a rescue file says of the run that wrote it. */
export interface RescueFacts {
  done: Set<string>;
  /** Those that DAGMan lists as failed: nodes that a removal ended are not among them. */
  failed: Set<string>;
}

export function readRescue(text: string): RescueFacts {
  const done = new Set<string>();
  const failed = new Set<string>();
  let isList = false;
  for (const line of text.split('\n')) {
    const [, name] = /^\s*DONE\s+(\S+)/i.exec(line) ?? [];
    if (name !== undefined) done.add(name);
    if (/^#\s*Nodes that failed:/.test(line)) isList = true;
    else if (isList && line.startsWith('#')) {
      for (const each of line.replace(/^#\s*/, '').split(',')) {
        if (each.trim() === '<ENDLIST>') isList = false;
        else if (each.trim() !== '') failed.add(each.trim());
      }
    }
  }
  return { done, failed };
}
