import type { DagEnd } from '../../contract/run-engine.ts';
import type { DagExplanation, DagFailureGroup } from '../../views/dag-explanation.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { TextStyle } from '../terminal/text-style.ts';
import type { View } from '../terminal/view.ts';

const SHOWN_NODES = 5;
const SHOWN_LINES = 5;
const SHOWN_FILES = 20;

export const dagExplanationView: View<DagExplanation> = {
  json: ({ ended, ...explanation }) => ({
    ...explanation,
    ended: ended && { how: ended.how, exit_code: ended.exitCode },
  }),
  table: dagLines,
  quiet: ({ ended }) => [ended?.how ?? 'unknown'],
};

const ENDS: Record<DagEnd['how'], string> = {
  done: 'it is done',
  failures: 'it ended with failures',
  aborted: 'a node aborted it',
  removed: 'it was removed (condor_rm)',
  halted: 'it was halted (halt file)',
  error: 'DAGMan itself failed; see dagman.out',
};

function dagLines(explanation: DagExplanation, style: TextStyle): string[] {
  const { name, dag, run, ended, counts, attempts, recovered, groups } = explanation;
  const title = [name, dag, run === null ? null : `run ${run}`].filter((part) => part !== null).join(', ');
  const end = ended === null ? 'it has not ended, as far as its files say' : ENDS[ended.how];
  const code = ended === null || ended.exitCode === null ? '' : ` (exit ${ended.exitCode})`;
  return [
    style.paint('bold', visibleText(title)),
    `${end}${code}: ${counts.done} of ${counts.total} done, ${counts.failed} failed, ${counts.not_run} not run`,
    `${plural(attempts.total, 'attempt')}, ${attempts.failed} failed` +
      (recovered.length === 0 ? '' : `; ${plural(recovered.length, 'node')} recovered: ${some(recovered)}`),
    ...table('failed nodes by category', explanation.by_category),
    ...siteLines(explanation),
    ...listed('bad input files', explanation.bad_input_files),
    ...groups.flatMap((group) => groupLines(group, style)),
    ...listed('failed, and no file says why', explanation.without_evidence),
    ...explanation.held.map(({ node, reason }) => visibleText(`held: ${node}: ${reason}`)),
    ...explanation.unknown.map((sentence) => visibleText(`not known: ${sentence}`)),
  ];
}

function groupLines(
  { category, fingerprint, nodes, sites, sample }: DagFailureGroup,
  style: TextStyle,
): string[] {
  const at = Object.entries(sites).map(([site, count]) => `${site} ${count}`);
  return [
    '',
    style.paint(
      'bold',
      `${plural(nodes.length, 'node')}, ${category ?? 'unknown'}, fingerprint ${fingerprint}`,
    ),
    visibleText(`  ${some(nodes)}`),
    visibleText(`  at ${at.join(', ')}`),
    visibleText(`  ${sample.node}, attempt ${sample.attempt}: ${sample.sentence}`),
    ...sample.log_tail
      .split('\n')
      .filter((line) => line.trim() !== '')
      .slice(-SHOWN_LINES)
      .map((line) => `    | ${visibleText(line)}`),
  ];
}

function siteLines({ by_site: sites }: DagExplanation): string[] {
  const entries = Object.entries(sites).map(
    ([site, { attempts, failed }]) => `${site} ${failed} of ${attempts}`,
  );
  return entries.length === 0 ? [] : [visibleText(`failed attempts by site: ${entries.join(', ')}`)];
}

function table(title: string, counts: Record<string, number>): string[] {
  const entries = Object.entries(counts).map(([key, count]) => `${key} ${count}`);
  return entries.length === 0 ? [] : [`${title}: ${entries.join(', ')}`];
}

function listed(title: string, all: readonly string[]): string[] {
  if (all.length === 0) return [];
  const more = all.length > SHOWN_FILES ? ` and ${all.length - SHOWN_FILES} more` : '';
  return [visibleText(`${title}: ${all.slice(0, SHOWN_FILES).join(', ')}${more}`)];
}

function some(names: readonly string[]): string {
  const more = names.length > SHOWN_NODES ? ` and ${names.length - SHOWN_NODES} more` : '';
  return `${names.slice(0, SHOWN_NODES).join(', ')}${more}`;
}

const plural = (count: number, thing: string) => `${count} ${thing}${count === 1 ? '' : 's'}`;
