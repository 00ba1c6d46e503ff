/** Where Slurm's programs and their configuration are, and who asks. */
const TO_ASK = new Set(['PATH', 'HOME', 'USER', 'LOGNAME', 'LD_LIBRARY_PATH', 'SLURM_CONF']);

/** What a person who has logged in to a node has, too. */
const TO_SUBMIT = new Set([
  ...TO_ASK,
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'BASH_ENV',
  'MODULEPATH',
  'MODULESHOME',
]);
/** Locale, the module system, and defaults of `sbatch` that a site or user has set. */
const TO_SUBMIT_PREFIX = /^(?:LC_|LMOD_|SBATCH_)/;
/** They would have `sbatch` wait for the end of the job, or submit many jobs under one name. */
const NEVER = new Set(['SBATCH_WAIT', 'SBATCH_ARRAY_INX']);
/** Settings and secrets of this process. */
const OWN = /^HOLDFAST_/;
/** Of an allocation that this process runs in: its limits would become those of the new one. */
const OUTER = /^(?:SLURM_(?!CONF$)|SLURMD_)/;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * The environment of commands that only look. Variables such as SQUEUE_STATES or SLURM_TIME_FORMAT change what they list
 * and how, so that none is passed on; times are in UTC and messages in English.
 */
export function askingEnvironment(variables: Variables): Record<string, string> {
  return { ...picked(variables, (name) => TO_ASK.has(name)), LC_ALL: 'C', TZ: 'UTC' };
}

/**
 * The environment of `sbatch`, and by `--export=ALL` of the allocation.
 *
 * Not the whole environment of this process: a server has secrets in it, and Slurm keeps the environment of jobs in files
 * and, at some sites, in its accounting. Not `--export=NONE` either: it has each node read the profile of the user's login
 * shell (a job is held where that fails), and leaves SLURM_EXPORT_ENV=NONE behind, so that `srun` inside of the
 * allocation passes nothing on. Users name further variables in `--export=NAME,…`; `--export=ALL,…` means all but
 * those of Holdfast and of an allocation that this process itself runs in.
 */
export function submittingEnvironment(
  variables: Variables,
  options: readonly string[],
): Record<string, string> {
  const named = new Set(splitExport(options).items.filter((item) => !item.includes('=')));
  const isWanted = (name: string) =>
    TO_SUBMIT.has(name) || TO_SUBMIT_PREFIX.test(name) || named.has(name) || named.has('ALL');
  return picked(
    variables,
    (name) => isWanted(name) && !NEVER.has(name) && !OWN.test(name) && !OUTER.test(name),
  );
}

/** `--export` for `sbatch`, with the values that the user assigns there, and his other options. */
export function exportOption(options: readonly string[]): { export: string; others: string[] } {
  const { items, others } = splitExport(options);
  const assigned = items.filter((item) => item.includes('='));
  return { export: `--export=${['ALL', ...assigned].join(',')}`, others };
}

/** As one word, or as two. */
function splitExport(options: readonly string[]): { items: string[]; others: string[] } {
  const items: string[] = [];
  const others: string[] = [];
  options.forEach((option, index) => {
    if (option.startsWith('--export=')) items.push(...option.slice('--export='.length).split(','));
    else if (options[index - 1] === '--export') items.push(...option.split(','));
    else if (option !== '--export') others.push(option);
  });
  return { items: items.filter((item) => item !== ''), others };
}

function picked(variables: Variables, isPicked: (name: string) => boolean): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && isPicked(name)) found[name] = value;
  }
  return found;
}
