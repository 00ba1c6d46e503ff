import type { DagSettings, PlannedDag, RoundPlan, WorkflowPlan } from './dag-plan.ts';
import type { Up } from './submit-file.ts';
import { commentLine } from './submit-words.ts';

/** In this order, as the seed of requests has them. */
const MACROS = '$JOB $RETURN $RETRY $MAX_RETRIES $DAG_STATUS $FAILED_COUNT';
/** Exit code of the post step while a cool-off runs: DAGMan calls only the script again. */
const DEFER_CODE = 75;
const STATUS_INTERVAL_SEC = 10;

export const DAGMAN_CONFIG = 'dagman.config';

/** A DAG of jobs: a unit, or a workflow. */
export function jobDag(
  name: string,
  { nodes, edges }: PlannedDag,
  settings: DagSettings,
  up: Up,
  limits: Record<string, number> = {},
): string {
  const { unless_exit_code: permanent, abort_dag_code: abort } = settings;
  const wait = deferSeconds(settings);
  return dagFile(name, up, [
    ...nodes.flatMap((node) => [
      `JOB ${node.name} ${node.name}.sub`,
      `RETRY ${node.name} ${node.retries} UNLESS-EXIT ${permanent}`,
      `SCRIPT DEFER ${DEFER_CODE} ${wait} POST ${node.name} ${up === '' ? './' : up}post ${MACROS}`,
      // Another value than 0, 1 or 2 would have the schedd start DAGMan again for ever.
      `ABORT-DAG-ON ${node.name} ${abort} RETURN 1`,
      ...(node.priority === 0 ? [] : [`PRIORITY ${node.name} ${node.priority}`]),
      ...(node.category === null ? [] : [`CATEGORY ${node.name} ${node.category}`]),
    ]),
    ...edges.map(({ parents, children }) => `PARENT ${parents.join(' ')} CHILD ${children.join(' ')}`),
    ...Object.entries(limits).map(([category, limit]) => `MAXJOBS ${category} ${limit}`),
  ]);
}

/** The DAG of a round. The post step of a unit passes an abort on, and else what its DAG exited with. */
export function roundDag({ units, settings, name }: RoundPlan): string {
  return dagFile('round', '', [
    commentLine(`A round of ${name}.`),
    ...units.flatMap(({ name: unit }) => [
      `SUBDAG EXTERNAL ${unit} ${unit}.dag DIR ${unit}`,
      `SCRIPT POST ${unit} ../post ${MACROS} --unit`,
      `ABORT-DAG-ON ${unit} ${settings.abort_dag_code} RETURN 1`,
    ]),
  ]);
}

export function dagmanConfig({ maxJobs }: Pick<RoundPlan | WorkflowPlan, 'maxJobs'>): string {
  const lines = [
    '# Settings of DAGMan for this directory.',
    'DAGMAN_USE_STRICT = 1',
    'DAGMAN_MAX_POST_SCRIPTS = 20',
    'DAGMAN_MAX_RESCUE_NUM = 999',
    ...(maxJobs === null ? [] : [`DAGMAN_MAX_JOBS_SUBMITTED = ${maxJobs}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function dagFile(name: string, up: Up, lines: readonly string[]): string {
  return `${[
    `CONFIG ${up}${DAGMAN_CONFIG}`,
    ...lines,
    `NODE_STATUS_FILE ${name}.status ${STATUS_INTERVAL_SEC} ALWAYS-UPDATE`,
    `JOBSTATE_LOG ${name}.jobstate.log`,
  ].join('\n')}\n`;
}

/** A wait is over within a quarter of the shortest one. */
function deferSeconds({ cooloff_base_sec: base }: DagSettings): number {
  return base <= 0 ? 15 : Math.min(60, Math.max(1, Math.round(base / 4)));
}
