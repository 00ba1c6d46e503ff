import type { JobStatus } from '../../core/job/job-status.ts';
import { namePattern } from '../../core/text/name-pattern.ts';
import type { GraphRoute, JobGraph } from './job-graph.ts';

export interface DrawnNode {
  label: string;
  /** How many jobs the node stands for; 0 for a junction. */
  jobs: number;
  /** null where it is unknown or the jobs of the node differ. */
  status: JobStatus | null;
  isOnCall: boolean;
}

/** A route from node to node. */
export interface DrawnRoute extends GraphRoute {
  from: number;
}

/** What the formats draw: nodes, edges from what must end first, and routes. */
export interface DrawnGraph {
  name: string;
  nodes: DrawnNode[];
  edges: [from: number, to: number][];
  /** Edges of which one is enough, by `to` and group. */
  anyOf: { from: number[]; to: number }[];
  routes: DrawnRoute[];
}

/** Above this many jobs a drawing is unreadable, and jobs of a sweep become one node. */
const JOBS_DRAWN_ONE_BY_ONE = 100;

export function drawGraph(graph: JobGraph, all: boolean): DrawnGraph {
  return !all && graph.jobs.length > JOBS_DRAWN_ONE_BY_ONE ? drawGroups(graph) : drawJobs(graph);
}

/** Each job a node. A set of many shared by many is drawn as a junction: n + m edges, not n × m. */
function drawJobs({ name, jobs, sets, anyOf }: JobGraph): DrawnGraph {
  const nodes: DrawnNode[] = jobs.map((job) => ({
    label: job.name,
    jobs: 1,
    status: job.status,
    isOnCall: job.isOnCall ?? false,
  }));
  const edges: DrawnGraph['edges'] = [];
  const choices: DrawnGraph['anyOf'] = [];
  const users: number[][] = sets.map(() => []);
  for (const [index, job] of jobs.entries()) if (job.set !== null) users[job.set]!.push(index);

  for (const [set, members] of sets.entries()) {
    const waiting = users[set]!;
    const groups = anyOf?.[set] ?? [];
    const required = groups.length === 0 ? members : withoutMembers(members, groups);
    for (const to of waiting) for (const group of groups) choices.push({ from: group, to });
    if (required.length > 2 && waiting.length > 2) {
      const junction = nodes.push({ label: 'all of', jobs: 0, status: null, isOnCall: false }) - 1;
      for (const member of required) edges.push([member, junction]);
      for (const job of waiting) edges.push([junction, job]);
    } else {
      for (const job of waiting) for (const member of required) edges.push([member, job]);
    }
  }
  const routes = jobs.flatMap((job, from) => (job.routes ?? []).map((route) => ({ ...route, from })));
  return { name, nodes, edges, anyOf: choices, routes };
}

function withoutMembers(members: readonly number[], groups: readonly number[][]): number[] {
  const chosen = new Set(groups.flat());
  return members.filter((member) => !chosen.has(member));
}

function drawGroups({ name, jobs, sets }: JobGraph): DrawnGraph {
  const nodes: DrawnNode[] = [];
  const numbers = new Map<string, number>();
  const groupOf = jobs.map((job) => {
    const label = namePattern(job.name);
    const isOnCall = job.isOnCall ?? false;
    const key = `${isOnCall} ${label}`;
    let number = numbers.get(key);
    if (number === undefined) {
      number = nodes.push({ label, jobs: 0, status: job.status, isOnCall }) - 1;
      numbers.set(key, number);
    }
    const node = nodes[number]!;
    node.jobs += 1;
    if (node.status !== job.status) node.status = null;
    return number;
  });

  const edges = new Map<string, [number, number]>();
  const routes = new Map<string, DrawnRoute>();
  const groupsOfSet = sets.map((members) => new Set(members.map((member) => groupOf[member]!)));
  for (const [index, job] of jobs.entries()) {
    const to = groupOf[index]!;
    for (const from of job.set === null ? [] : groupsOfSet[job.set]!) edges.set(`${from},${to}`, [from, to]);
    for (const route of job.routes ?? []) {
      const drawn = { ...route, from: to, to: groupOf[route.to]! };
      routes.set(JSON.stringify(drawn), drawn);
    }
  }
  return { name, nodes, edges: [...edges.values()], anyOf: [], routes: [...routes.values()] };
}

/** `train_* (1000 jobs)` for a group. */
export function nodeLabel({ label, jobs, isOnCall }: DrawnNode): string {
  const facts = [...(jobs > 1 ? [`${jobs} jobs`] : []), ...(isOnCall ? ['on call'] : [])];
  return facts.length > 0 ? `${label} (${facts.join(', ')})` : label;
}
