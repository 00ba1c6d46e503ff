type Data = Record<string, unknown>;

/** What happened to a DAG, as an event of its workflow or in the history of its request; null for anything else. */
export function dagEventText(type: string, data: Data): string | null {
  return WORDS[type]?.(data) ?? null;
}

const WORDS: Record<string, (data: Data) => string> = {
  dag_submitted: ({ cluster, directory }) => `DAGMan ${cluster} is submitted, in ${directory}`,
  dag_problem: ({ problem }) => `DAGMan waits: ${problem}`,
  dag_crashed: ({ cluster }) => `DAGMan ${cluster} left the queue without a result, and is submitted again`,
  dag_ended: ({ how, exit_code }) => {
    const code = exit_code == null ? '' : ` (exit ${exit_code})`;
    return `DAGMan ${ENDS[String(how)] ?? `has ended: ${how}`}${code}`;
  },
};

const ENDS: Record<string, string> = {
  done: 'has ended: all of it is done',
  failures: 'has ended with failures',
  aborted: 'was aborted by a node',
  removed: 'was removed from the queue',
  halted: 'was halted',
  error: 'has ended with an error of its own',
};
