import { killMarked } from './kill-marked.ts';
import { MARKER_NAME } from './marker.ts';
import { readProcessTable } from './process-table.ts';

/** What a marker has before the token, which ends with a UUID. */
const MARKED = new RegExp(`(?:^|[\\0\\s])${MARKER_NAME}=([^\\0\\s]*[\\da-f-]{36}\\.)\\d+;`);

/**
 * Kills what is left of attempts of a workflow that have their directories below this one, with their launchers. A
 * launcher does so by itself when its driver dies, unless it stands still or waits for a processor.
 */
export async function killOrphans(directory: string, workflowId: number): Promise<void> {
  // Environments are read byte by byte.
  const place = Buffer.from(`HOLDFAST_WORK_DIR=${directory}/`).toString('latin1');
  const workflow = new RegExp(`HOLDFAST_WORKFLOW_ID=${workflowId}(?!\\d)`);
  const own = process.env[MARKER_NAME] ?? '';
  const { processes, environment } = readProcessTable(new Set([process.pid]));
  const prefixes = new Set<string>();
  for (const pid of processes.keys()) {
    const variables = environment(pid) ?? '';
    if (!variables.includes(place) || !workflow.test(variables)) continue;
    const prefix = MARKED.exec(variables)?.[1];
    // This process may itself be part of an attempt.
    if (prefix !== undefined && !own.startsWith(prefix)) prefixes.add(prefix);
  }
  await Promise.all([...prefixes].map((prefix) => killMarked(prefix, new Set())));
}
