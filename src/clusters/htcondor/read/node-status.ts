/** How a node stands, by the number that DAGMan writes. */
export const NODE_STATES = [
  'not ready',
  'ready',
  'pre',
  'submitted',
  'post',
  'done',
  'error',
  'futile',
] as const;
export type NodeState = (typeof NODE_STATES)[number];

export interface NodeStatus {
  node: string;
  state: NodeState;
  /** For people: its wording is not always right, so nothing is decided by it. */
  details: string;
  retries: number;
}

export interface DagStatusFile {
  /** Files of the DAG, as they were submitted. */
  dagFiles: string[];
  nodes: NodeStatus[];
}

/** A list of ClassAds: of the DAG, of each node, and an end. Unknown ones are skipped. */
export function readNodeStatus(text: string): DagStatusFile {
  const nodes: NodeStatus[] = [];
  let dagFiles: string[] = [];
  for (const ad of text.split(/^\]\s*$/m)) {
    const type = textOf(ad, 'Type');
    if (type === 'DagStatus') {
      const [, list = ''] = /DagFiles = \{([^}]*)\}/.exec(ad) ?? [];
      dagFiles = [...list.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((match) => unescaped(match[1]!));
    }
    if (type !== 'NodeStatus') continue;
    const state = NODE_STATES[Number(/^\s*NodeStatus = (\d+);/m.exec(ad)?.[1] ?? Number.NaN)];
    const node = textOf(ad, 'Node');
    if (state === undefined || node === null) continue;
    const retries = Number(/^\s*RetryCount = (\d+);/m.exec(ad)?.[1] ?? 0);
    nodes.push({ node, state, details: textOf(ad, 'StatusDetails') ?? '', retries });
  }
  return { dagFiles, nodes };
}

function textOf(ad: string, key: string): string | null {
  const [, value] = new RegExp(`^\\s*${key} = "((?:[^"\\\\]|\\\\.)*)";`, 'm').exec(ad) ?? [];
  return value === undefined ? null : unescaped(value);
}

const unescaped = (text: string) => text.replace(/\\(.)/g, '$1');
