import type { Engine } from '../../contract/engine.ts';
import { shownStatus } from '../../core/job/shown-status.ts';
import { visibleText } from '../../views/visible-text.ts';
import type { CommandEntry } from '../command-entry.ts';
import { openContext } from '../open-context.ts';
import { commandName, flagsOf } from './command-words.ts';
import { type CompletionPlace, completionPlace } from './completion-place.ts';

/** A prompt that waits longer for a server is worse than one that knows no names. */
const PATIENCE_MS = 1_500;
const MOST_WORKFLOWS = 50;
const MOST_JOBS = 1_000;

/** The line by which the shell adds names of files. */
const FILES = ':files';

type Candidate = [word: string, about: string];

/**
 * Prints what can stand at the last of the words that follow `holdfast`, one candidate with its description on each line.
 * What goes wrong is not printed: the shell would show it in the middle of the line that is typed.
 */
export async function complete(commands: CommandEntry[], words: string[]): Promise<number> {
  const place = completionPlace(commands, words);
  const fixed = fixedCandidates(commands, place);
  const stored = await storedCandidates(place).catch(() => []);
  const fitting = [...fixed, ...stored].filter(([word]) => word.startsWith(place.typed));
  const lines = fitting.map(([word, about]) => `${place.before}${word}\t${about}`);
  if (place.wanted.some(({ kind }) => kind === 'files')) lines.push(FILES);
  if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n`);
  return 0;
}

function fixedCandidates(commands: CommandEntry[], { wanted, entry, typed }: CompletionPlace): Candidate[] {
  return wanted.flatMap((each): Candidate[] => {
    if (each.kind === 'words') return each.words.map((word) => [word, '']);
    if (each.kind === 'commands') return commands.map((command) => [commandName(command), command.summary]);
    if (each.kind !== 'flags') return [];
    return flagsOf(entry).flatMap(({ names, about }) => {
      const shown = typed.startsWith('--') ? names.at(-1)! : names[0]!;
      return [...new Set([shown, names.at(-1)!])].map((name): Candidate => [name, about]);
    });
  });
}

/** Numbers of workflows and names of jobs, of the state or the server that the line names. */
async function storedCandidates(place: CompletionPlace): Promise<Candidate[]> {
  const wants = (kind: string) => place.wanted.some((each) => each.kind === kind);
  if (!wants('workflows') && !wants('jobs')) return [];
  const { '--dir': dir, '--server': server, '--token-file': tokenFile } = place.given;
  const context = await openContext({
    dir,
    flags: {
      output: 'quiet',
      ...(server !== undefined && { server }),
      ...(tokenFile !== undefined && { token_file: tokenFile }),
    },
    ownState: place.entry?.ownState === true,
    list: null,
  });
  const late = setTimeout(() => process.exit(0), PATIENCE_MS);
  try {
    const engine = await context.openEngine();
    const workflows = wants('workflows') ? await workflowCandidates(engine) : [];
    return [...workflows, ...(wants('jobs') ? await jobCandidates(engine, place) : [])];
  } finally {
    await context.close();
    clearTimeout(late);
  }
}

async function workflowCandidates(engine: Engine): Promise<Candidate[]> {
  const { items } = await engine.listWorkflows({ limit: MOST_WORKFLOWS });
  return items.map(({ id, name }) => [String(id), visibleText(name)]);
}

async function jobCandidates(engine: Engine, { workflowId, typed }: CompletionPlace): Promise<Candidate[]> {
  const id = workflowId ?? (await engine.listWorkflows({ limit: 1 })).items[0]?.id;
  if (id === undefined) return [];
  const { items } = await engine.listJobs(id, { limit: MOST_JOBS, ...(typed !== '' && { name: typed }) });
  return items.map(({ name, status }) => [name, shownStatus(status)]);
}
