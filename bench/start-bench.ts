import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchLine, command, holdfast, holdfastInBackground, inTempDir, median } from './measure.ts';

const ROUNDS = 15;

/** How fast the command line is there, and what an idle run weighs. */
export async function benchStart(): Promise<BenchLine[]> {
  return inTempDir(async (dir) => {
    const bare: number[] = [];
    const version: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      bare.push(command(dir, process.execPath, '-e', '0').ms);
      version.push(holdfast(dir, '--version').ms);
    }
    writeFileSync(join(dir, 'one.yaml'), 'name: one\njobs:\n  - name: a\n    command: "true"\n');
    const one = Array.from({ length: 7 }, () => holdfast(dir, 'run', 'one.yaml').ms);
    const ratio = median(version) / median(bare);
    const memory = await idleMemory(dir);
    return [
      {
        name: 'holdfast --version',
        value: median(version),
        unit: 'ms',
        ratio,
        against: 'node -e 0',
        aim: '<= 1.5',
        met: ratio <= 1.5,
      },
      {
        name: 'one trivial job, end to end',
        value: median(one),
        unit: 'ms',
        ratio: null,
        against: '',
        aim: '< 500 ms',
        met: median(one) < 500,
      },
      {
        name: 'memory of an idle run (PSS)',
        value: memory.pss,
        unit: 'MB',
        ratio: null,
        against: `RSS ${memory.rss.toFixed(0)} MB`,
        aim: '< 150 MB',
        met: memory.pss < 150,
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
