import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadSpec, openEngine } from '../src/index.ts';
import { watchTurns } from './longest-turn.ts';
import { type BenchLine, holdfast, inTempDir, median } from './measure.ts';

const SAMPLES = 25_000;
const ROUNDS = 5;

/** Four jobs for each sample, the last of which one job waits for: 100,000 jobs and one. */
function pipeline(command: string): string {
  const step = (name: string, text: string, reads: string, writes: string) => `
  - name: ${name}_{i}
    command: ${text}
    parameters: { i: "1:${SAMPLES}" }
    input_files: ["${reads}"]
    output_files: ["${writes}"]`;
  return `name: many
jobs:${step('map', 'map {i}', 'in/{i}.fq', 'out/{i}.bam')}${step('sort', command, 'out/{i}.bam', 'out/{i}.sorted')}${step('index', 'index {i}', 'out/{i}.sorted', 'out/{i}.bai')}${step('call', 'call {i}', 'out/{i}.bai', 'out/{i}.vcf')}
  - name: plot
    command: plot
    depends_on_regexes: ["call_.*"]
`;
}

/** What an edit of a large workflow costs: to compare it, and to apply it. */
export async function benchUpdates(): Promise<BenchLine[]> {
  return inTempDir(async (dir) => {
    const engine = await openEngine({ dir: join(dir, '.holdfast'), create: true });
    const base = pipeline('sort {i}');
    const model = modelOf(base);
    const { id } = await engine.createWorkflow({ model, cwd: dir, output_dir: 'output', actor: 'bench' });
    // All of them have ended, so that what is edited runs again.
    await engine.cancel(id, { actor: 'bench' });
    const edited = modelOf(pipeline('sort -n {i}'));
    const dry: Watched[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      dry.push(
        await watched(() => engine.updateWorkflow(id, { model: edited, actor: 'bench', dry_run: true })),
      );
    }
    const applied = await watched(() => engine.updateWorkflow(id, { model: edited, actor: 'bench' }));
    await engine.close();
    writeFileSync(join(dir, 'many.yaml'), pipeline('sort -r {i}'));
    const command = holdfast(
      dir,
      'update',
      `${id}`,
      'many.yaml',
      '--force',
      '--dry-run',
      '--output',
      'quiet',
    );
    const seconds = (name: string, ms: number, aim: string, met: boolean | null) => {
      return { name, value: ms / 1000, unit: 's', ratio: null, against: '', aim, met };
    };
    const plan = median(dry.map(({ ms }) => ms));
    const pause = median(dry.map(({ longest }) => longest));
    return [
      seconds('an edit of 100,000 jobs, compared', plan, '< 3 s', plan < 3000),
      seconds('the longest pause of the thread meanwhile', pause, '', null),
      seconds('the same as a command, with reading the spec', command.ms, '', null),
      seconds('the same edit, applied: all jobs start over', applied.ms, '', null),
      seconds('the longest pause of the thread meanwhile', applied.longest, '', null),
    ];
  });
}

function modelOf(spec: string) {
  const loaded = loadSpec(spec, 'many.yaml');
  if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
  return loaded.model;
}

interface Watched {
  ms: number;
  /** The longest time in which nothing else in this process could run. */
  longest: number;
}

async function watched(work: () => Promise<unknown>): Promise<Watched> {
  const start = performance.now();
  const longestTurn = watchTurns();
  await work();
  const ms = performance.now() - start;
  return { ms, longest: longestTurn().ms };
}
