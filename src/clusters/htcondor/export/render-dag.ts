import { compiledRulebookText } from '../../../core/dag/compiled-rulebook.ts';
import { nodeFactsFile, overrideFile } from '../../../core/dag/node-facts.ts';
import { RUN_FILE, type RunFile } from '../../../core/dag/run-file.ts';
import type { DagPlan, PlannedDag } from './dag-plan.ts';
import { DAGMAN_CONFIG, dagmanConfig, jobDag, roundDag } from './dag-text.ts';
import { nodeScript, postScript } from './node-script.ts';
import { SITES_FILE, sitesText } from './sites-text.ts';
import { submitFile, type Up } from './submit-file.ts';

export const RULEBOOK_FILE = 'rulebook.json';
export const POST_FILE = 'post';

/** The files of a DAG directory, by their paths in it. Those that begin with `#!` are programs. Pure. */
export function renderDag(plan: DagPlan): Map<string, string> {
  const { settings, rulebook, sites } = plan;
  const files = new Map<string, string>();
  const addDag = (dag: PlannedDag, directory: string, up: Up) => {
    for (const node of dag.nodes) {
      const add = (name: string, text: string) => files.set(`${directory}${name}`, text);
      for (const [name, text] of nodeScript(node)) add(name, text);
      add(`${node.name}.sub`, submitFile(node, settings, sites.attribute, up));
      add(overrideFile(node.name), '');
      add(nodeFactsFile(node.name), json(node.facts));
    }
  };
  if (plan.kind === 'round') {
    files.set('round.dag', roundDag(plan));
    for (const { name, dag } of plan.units) {
      files.set(`${name}/${name}.dag`, jobDag(name, dag, settings, '../'));
      addDag(dag, `${name}/`, '../');
    }
  } else {
    files.set('workflow.dag', jobDag('workflow', plan.dag, settings, '', plan.limits));
    addDag(plan.dag, '', '');
  }
  files.set(DAGMAN_CONFIG, dagmanConfig(plan));
  files.set(SITES_FILE, sitesText(sites));
  files.set(RUN_FILE, runFileText(runFileOf(plan)));
  if (rulebook !== null) files.set(RULEBOOK_FILE, compiledRulebookText(rulebook));
  files.set(POST_FILE, postScript(settings.program, postOptions(plan)));
  return files;
}

/** `run.json` for another run of the same DAG is this text with a higher `run`. */
export function runFileText(file: RunFile): string {
  return json(file);
}

function runFileOf(plan: DagPlan): RunFile {
  const isRound = plan.kind === 'round';
  return {
    format: 1,
    kind: plan.kind,
    name: plan.name,
    request: isRound ? plan.request : null,
    dag: isRound ? 'round.dag' : 'workflow.dag',
    run: 1,
    units: isRound ? plan.units.map(({ name }) => name) : plan.dag.nodes.map(({ name }) => name),
    site_attribute: plan.sites.attribute,
  };
}

function postOptions({ rulebook, settings }: DagPlan): string[] {
  return [
    ...(rulebook === null ? [] : [`--rulebook "$here/${RULEBOOK_FILE}"`]),
    `--unless-exit-code ${settings.unless_exit_code}`,
    `--abort-dag-code ${settings.abort_dag_code}`,
    `--cooloff-base-sec ${settings.cooloff_base_sec}`,
  ];
}

const json = (value: unknown) => `${JSON.stringify(value, null, 2)}\n`;
