import { overrideFile, TIME_LIMIT_ATTRIBUTE } from '../../../core/dag/node-facts.ts';
import type { DagSettings, PlannedNode } from './dag-plan.ts';
import { SITES_FILE, SITES_MACRO } from './sites-text.ts';
import { classAdString, commentLine, submitValue } from './submit-words.ts';

/** Of the directory of a DAG, seen from the one of a submit file. */
export type Up = '' | '../';

/**
 * The submit file of a node. Jobs run on a shared file system. What a retry may use comes last, from a file that the post
 * step writes, so that this one is never changed.
 */
export function submitFile(
  { name, facts, requirement, endSignal, graceMs }: PlannedNode,
  { hold_timeout_ms, submit_lines }: DagSettings,
  siteAttribute: string,
  up: Up,
): string {
  const held = `(JobStatus == 5 && time() - EnteredCurrentStatus > ${Math.round(hold_timeout_ms / 1000)})`;
  const late = `(JobStatus == 2 && time() - JobCurrentStartExecutingDate > ${TIME_LIMIT_ATTRIBUTE})`;
  const { cpus, memory_bytes: bytes, gpus } = requirement;
  const lines = [
    commentLine(`The job ${facts.job}.`),
    'universe = vanilla',
    `executable = ${name}.sh`,
    `output = ${name}.out`,
    `error = ${name}.err`,
    `log = ${name}.log`,
    'should_transfer_files = NO',
    // Jobs have no PATH otherwise.
    'getenv = PATH, HOME, USER, LOGNAME, LANG, LC_*, TZ',
    `+HoldfastJob = ${classAdString(facts.job)}`,
    `request_cpus = ${cpus === null ? 1 : Math.max(1, Math.ceil(cpus))}`,
    ...(bytes === null ? [] : [`request_memory = ${Math.ceil(bytes / 1024 ** 2)}`]),
    ...(gpus > 0 ? [`request_gpus = ${gpus}`] : []),
    `kill_sig = ${submitValue(endSignal)}`,
    ...(graceMs === null ? [] : [`job_max_vacate_time = ${Math.ceil(graceMs / 1000)}`]),
    ...(facts.time_limit_sec === null ? [] : [`+${TIME_LIMIT_ATTRIBUTE} = ${facts.time_limit_sec}`]),
    // A held job would have DAGMan wait for ever.
    `periodic_remove = ${held} || (${TIME_LIMIT_ATTRIBUTE} isnt undefined && ${late})`,
    // They have the log say where the job ran.
    `job_machine_attrs = ${siteAttribute}, Machine`,
    `job_ad_information_attrs = MachineAttr${siteAttribute}0, MachineAttrMachine0`,
    ...submit_lines,
    `include : ${up}${SITES_FILE}`,
    `requirements = $(${SITES_MACRO})`,
    `include : ${overrideFile(name)}`,
    'queue',
  ];
  return `${lines.join('\n')}\n`;
}
