import { shellWords } from './shell-words.ts';

/** Long names of the options that `sbatch` has with one letter. */
const LETTERS: Readonly<Record<string, string>> = {
  A: 'account',
  a: 'array',
  B: 'extra-node-info',
  b: 'begin',
  C: 'constraint',
  c: 'cpus-per-task',
  D: 'chdir',
  d: 'dependency',
  e: 'error',
  F: 'nodefile',
  G: 'gpus',
  H: 'hold',
  h: 'help',
  I: 'immediate',
  i: 'input',
  J: 'job-name',
  k: 'no-kill',
  L: 'licenses',
  M: 'clusters',
  m: 'distribution',
  N: 'nodes',
  n: 'ntasks',
  O: 'overcommit',
  o: 'output',
  p: 'partition',
  Q: 'quiet',
  q: 'qos',
  S: 'core-spec',
  s: 'oversubscribe',
  t: 'time',
  V: 'version',
  v: 'verbose',
  W: 'wait',
  w: 'nodelist',
  x: 'exclude',
};

/** Options without a value, or with one only behind `=`. */
const WITHOUT_VALUE: ReadonlySet<string> = new Set(
  'contiguous exclusive get-user-env help hold ignore-pbs immediate nice no-kill no-requeue overcommit oversubscribe parsable propagate quiet reboot requeue spread-job test-only usage use-min-nodes verbose version wait'.split(
    ' ',
  ),
);

const NAMED = 'Holdfast finds its allocations by it; leave it out';
const PRINTED = 'Holdfast reads what `sbatch` prints; leave it out';
const KEPT = 'Holdfast keeps the output of an allocation with its other files; leave it out';

/** Options that Holdfast gives itself or cannot work with, and the way out. */
const RESERVED: Readonly<Record<string, string>> = {
  'job-name': NAMED,
  comment: NAMED,
  output: KEPT,
  error: KEPT,
  input: 'workers read no input; leave it out',
  'open-mode': KEPT,
  chdir: 'workers find the directory of the workflow by themselves; leave it out',
  array: 'write num_allocations: N at a `schedule_nodes` action',
  dependency: 'write serialize_allocations: true for one allocation after the other',
  parsable: PRINTED,
  quiet: PRINTED,
  verbose: PRINTED,
  version: PRINTED,
  help: PRINTED,
  usage: PRINTED,
  wait: 'Holdfast waits by itself; leave it out',
  wrap: 'the script of an allocation starts a worker; leave it out',
  'test-only': '`holdfast slurm plan SPEC` asks when allocations would start',
  clusters: 'allocations are looked for on one cluster; run a server on each',
  signal: 'write compute_node_expiration_buffer_seconds: N for how long before the end jobs are ended',
};

/** Options that a scheduler has keys for, because Holdfast has to know them. */
const KEYS_OF_SCHEDULER: Readonly<Record<string, string>> = {
  nodes: 'write nodes: N at the scheduler',
  time: 'write walltime: "04:00:00" at the scheduler',
};

/** `cpus_per_task`, `cpus-per-task`, `c` → cpus-per-task; `walltime` → time. */
export function optionName(written: string): string {
  const name = written.trim().replace(/^-+/, '').replaceAll('_', '-');
  if (name === 'walltime') return 'time';
  return (name.length === 1 ? LETTERS[name] : undefined) ?? name;
}

/** Why an option cannot be given, with the way out; undefined: it can. Long options may be written in part, as `--out`. */
export function reservedOption(name: string): string | undefined {
  const exact = Object.hasOwn(RESERVED, name) ? RESERVED[name] : undefined;
  if (exact !== undefined || name.length < 3) return exact;
  const whole = Object.keys(RESERVED).find((each) => each.startsWith(name));
  return whole === undefined ? undefined : RESERVED[whole];
}

export interface ExtraOption {
  name: string;
  /** null: it has none. */
  value: string | null;
}

/** The options of `extra`, with every mistake in it. */
export function readExtra(extra: string): { options: ExtraOption[]; problems: string[] } {
  const split = shellWords(extra);
  if ('problem' in split) return { options: [], problems: [split.problem] };
  const { words } = split;
  const options: ExtraOption[] = [];
  const problems: string[] = [];
  for (let index = 0; index < words.length; index++) {
    const word = words[index]!;
    const match = /^--([A-Za-z][\w-]*)(?:=(.*))?$/s.exec(word) ?? /^-([A-Za-z])(.+)?$/s.exec(word);
    if (match === null) {
      problems.push(`"${word}" is not an option; write --option=value`);
      continue;
    }
    const name = optionName(match[1]!);
    let value = match[2] ?? null;
    const next = words[index + 1];
    if (value === null && !WITHOUT_VALUE.has(name) && next !== undefined && !next.startsWith('-')) {
      value = next;
      index += 1;
    }
    const key = Object.entries(KEYS_OF_SCHEDULER).find(([each]) => each === name || isStartOf(name, each));
    const reason = key?.[1] ?? reservedOption(name);
    if (reason !== undefined) problems.push(`${word.split('=')[0]} cannot be given: ${reason}`);
    else options.push({ name, value });
  }
  return { options, problems };
}

function isStartOf(name: string, option: string): boolean {
  return name.length >= 3 && option.startsWith(name);
}
