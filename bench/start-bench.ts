import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchLine, command, holdfast, holdfastInBackground, inTempDir, median } from './measure.ts';

const ROUNDS = 15;

const SPEC = 'name: one\njobs:\n  - name: a\n    command: "true"\n';

/** Commands of which only the start is measured, and how many times `node -e 0` they may take. */
const STARTS: [name: string, most: number, ...args: string[]][] = [
  ['holdfast --version', 1.5, '--version'],
  ['holdfast post', 1.2, 'post', 'a', '0', '0', '99', '0', '0'],
  ['holdfast status', 2, 'status'],
  ['holdfast jobs', 2, 'jobs', '1'],
  ['holdfast validate', 3, 'validate', 'one.yaml'],
  ['holdfast run, one trivial job', 3, 'run', 'one.yaml'],
];
const MOST_MS_OF_A_RUN = 250;

/** How fast the command line is there, and what an idle run weighs. */
export async function benchStart(): Promise<BenchLine[]> {
  return inTempDir(async (dir) => {
    writeFileSync(join(dir, 'one.yaml'), SPEC);
    holdfast(dir, 'run', 'one.yaml');
    const bare: number[] = [];
    const taken = STARTS.map((): number[] => []);
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(command(dir, process.execPath, '-e', '0').ms);
      for (const [index, [, , ...args]] of STARTS.entries()) taken[index]!.push(holdfast(dir, ...args).ms);
    }
    const starts = STARTS.map(([name, most], index): BenchLine => {
      const value = median(taken[index]!);
      const ratio = value / median(bare);
      return { name, value, unit: 'ms', ratio, against: 'node -e 0', aim: `<= ${most}`, met: ratio <= most };
    });
    const run = starts.at(-1)!.value;
    const memory = await idleMemory(dir);
    return [
      ...starts,
      {
        name: 'one trivial job, end to end',
        value: run,
        unit: 'ms',
        ratio: null,
        against: '',
        aim: `< ${MOST_MS_OF_A_RUN} ms`,
        met: run < MOST_MS_OF_A_RUN,
      },
      {
        name: 'memory of an idle run (PSS)',
        value: memory.pss,
        unit: 'MB',
        ratio: null,
        against: `RSS ${memory.rss.toFixed(0)} MB`,
        aim: '< 120 MB',
        met: memory.pss < 120,
      },
    ];
  });
}

/** All processes of a run whose only job sleeps; shared pages are counted once (PSS). */
async function idleMemory(dir: string): Promise<{ pss: number; rss: number }> {
  writeFileSync(join(dir, 'idle.yaml'), 'name: idle\njobs:\n  - name: a\n    command: sleep 60\n');
  const run = holdfastInBackground(dir, 'run', 'idle.yaml');
  try {
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    const members = familyOf(run.pid!).map((pid) => ({
      pid,
      name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(),
    }));
    const own = members.filter(({ name }) => name !== 'sleep');
    const sum = (key: string) => own.reduce((total, { pid }) => total + smapsKb(pid, key), 0) / 1024;
    return { pss: sum('Pss'), rss: sum('Rss') };
  } finally {
    const ended = new Promise((resolve) => run.on('exit', resolve));
    run.kill('SIGINT');
    await ended;
  }
}

function familyOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      parents.set(Number(name), Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]));
    } catch {
      // It ended meanwhile.
    }
  }
  const isMember = (pid: number): boolean => {
    for (let next: number | undefined = pid; next !== undefined && next > 1; next = parents.get(next)) {
      if (next === root) return true;
    }
    return false;
  };
  return [...parents.keys()].filter(isMember);
}

function smapsKb(pid: number, key: string): number {
  const match = new RegExp(`^${key}:\\s+(\\d+) kB`, 'm').exec(
    readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'),
  );
  return Number(match?.[1] ?? 0);
}
