import type { JobStatus } from '../../core/job-status.ts';
import type { JobGraph } from './job-graph.ts';
import { namePattern } from './name-pattern.ts';

export interface DrawnNode {
  label: string;
  /** How many jobs the node stands for; 0 for a junction. */
  jobs: number;
  /** null where it is unknown or the jobs of the node differ. */
  status: JobStatus | null;
}

/** What the formats draw: nodes, and edges from what must end first. */
export interface DrawnGraph {
  name: string;
  nodes: DrawnNode[];
  edges: [from: number, to: number][];
}

/** Above this many jobs a drawing is unreadable, and jobs of a sweep become one node. */
const JOBS_DRAWN_ONE_BY_ONE = 100;

export function drawGraph(graph: JobGraph, all: boolean): DrawnGraph {
  return !all && graph.jobs.length > JOBS_DRAWN_ONE_BY_ONE ? drawGroups(graph) : drawJobs(graph);
}

/** Each job a node. A set of many shared by many is drawn as a junction: n + m edges, not n × m. */
function drawJobs({ name, jobs, sets }: JobGraph): DrawnGraph {
  const nodes: DrawnNode[] = jobs.map((job) => ({ label: job.name, jobs: 1, status: job.status }));
  const edges: DrawnGraph['edges'] = [];
  const users: number[][] = sets.map(() => []);
  for (const [index, job] of jobs.entries()) if (job.set !== null) users[job.set]!.push(index);

  for (const [set, members] of sets.entries()) {
    const waiting = users[set]!;
    if (members.length > 2 && waiting.length > 2) {
      const junction = nodes.push({ label: 'all of', jobs: 0, status: null }) - 1;
      for (const member of members) edges.push([member, junction]);
      for (const job of waiting) edges.push([junction, job]);
    } else {
      for (const job of waiting) for (const member of members) edges.push([member, job]);
    }
  }
  return { name, nodes, edges };
}

function drawGroups({ name, jobs, sets }: JobGraph): DrawnGraph {
  const nodes: DrawnNode[] = [];
  const numbers = new Map<string, number>();
  const groupOf = jobs.map((job) => {
    const label = namePattern(job.name);
    let number = numbers.get(label);
    if (number === undefined) {
      number = nodes.push({ label, jobs: 0, status: job.status }) - 1;
      numbers.set(label, number);
    }
    const node = nodes[number]!;
    node.jobs += 1;
    if (node.status !== job.status) node.status = null;
    return number;
  });

  const edges = new Map<string, [number, number]>();
  const groupsOfSet = sets.map((members) => new Set(members.map((member) => groupOf[member]!)));
  for (const [index, job] of jobs.entries()) {
    if (job.set === null) continue;
    for (const from of groupsOfSet[job.set]!) edges.set(`${from},${groupOf[index]}`, [from, groupOf[index]!]);
  }
  return { name, nodes, edges: [...edges.values()] };
}

/** `train_* (1000 jobs)` for a group. */
export function nodeLabel({ label, jobs }: DrawnNode): string {
  return jobs > 1 ? `${label} (${jobs} jobs)` : label;
}
