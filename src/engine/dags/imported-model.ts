import { basename } from 'node:path';
import type { DagEvidence } from '../../contract/dag-evidence.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { WorkflowModel } from '../../core/model/workflow-model.ts';
import type { RequestModel } from '../../core/request/request-model.ts';
import { loadSpec } from '../../spec/load-spec.ts';
import type { Problem } from '../../spec/problem.ts';
import { loadRequest } from '../../spec/request/load-request.ts';
import type { RoundUnit } from '../../spec/request/round-workflow.ts';

/** A DAG as a request of one round: its nodes are jobs, those of the outermost DAG are units. */
export interface ImportedModel {
  request: RequestModel;
  workflow: WorkflowModel;
  units: RoundUnit[];
  /** Paths of the nodes, in the order of the jobs. */
  nodes: string[];
}

const NO_FILES = { readText: () => '', listFiles: () => [] };

/** A name that a request may have: that of the directory, without what names cannot have. */
export function importedName(directory: string): string {
  const name = basename(directory)
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/\.{2,}/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 100);
  return name === '' ? 'dag' : name;
}

export function importedModel(name: string, evidence: DagEvidence): ImportedModel {
  const { directory, dag } = evidence;
  const units = nodesByUnit(evidence);
  const nodes = [...units.values()].flat();
  const command = `: node of ${dag} in ${JSON.stringify(directory)}`;
  const request = {
    kind: 'request',
    name,
    description: `imported from ${directory}/${dag}`,
    executor: 'htcondor',
    work: { range: { total: units.size, per_job: 1 } },
    process: { command: ':' },
  };
  const loaded = loadRequest(JSON.stringify(request), 'import.json', NO_FILES);
  if (!loaded.ok) throw unusable(directory, loaded.problems);
  // Braces in names would make many jobs of one.
  const jobs = nodes.map((_, index) => ({ name: `node ${index + 1}`, command }));
  const spec = loadSpec(JSON.stringify({ name, jobs }), 'import.json');
  if (!spec.ok) throw unusable(directory, spec.problems);
  const sets: WorkflowModel['dependencySets'] = [];
  let first = 0;
  const rows = [...units.values()].map((members, index): RoundUnit => {
    const indexes = members.map((__, offset) => first + offset);
    first += members.length;
    sets.push({ members: indexes, joined: [], producers: [], anyOf: [] });
    const number = BigInt(index + 1);
    const range = { first: number, last: number, count: 1n };
    return { number: index + 1, set: index, ...range, item_ids: [], output: null, outputs: [] };
  });
  return {
    request: loaded.model,
    workflow: {
      ...spec.model,
      dependencySets: sets,
      countedSets: sets.map((_, index) => index),
      jobs: spec.model.jobs.map((job, index) => ({ ...job, name: nodes[index]! })),
    },
    units: rows,
    nodes,
  };
}

/** Nodes that left a trace, by the unit that they are in; a unit without any is a node itself. */
function nodesByUnit({ units, attempts, without_evidence }: DagEvidence): Map<string, string[]> {
  const found = new Map(units.map(({ name }) => [name, new Set<string>()]));
  for (const node of [...attempts.map((each) => each.node), ...without_evidence]) {
    (found.get(node) ?? found.get(node.split('/')[0]!))?.add(node);
  }
  return new Map([...found].map(([name, nodes]) => [name, nodes.size === 0 ? [name] : [...nodes]]));
}

function unusable(directory: string, problems: readonly Problem[]): HoldfastError {
  const problem = problems.map(({ message }) => message).join('; ');
  return new HoldfastError('DAG_UNREADABLE', { directory, problem });
}
