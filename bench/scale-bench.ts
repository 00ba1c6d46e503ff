import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownIdentity } from '../src/host/process-identity.ts';
import { loadSpec, openEngine } from '../src/index.ts';
import { type BenchLine, holdfast, inTempDir, median } from './measure.ts';

const MANY = 100_000;
const FEW = 1_000;

/** Large workflows: creating them, and claiming from them. */
export async function benchScale(full: boolean): Promise<BenchLine[]> {
  const few = await create(FEW);
  const many = await create(MANY);
  const most = full ? await create(1_000_000) : many;
  const claimRatio = most.claimMs / few.claimMs;
  return [
    {
      name: '100,000 jobs loaded, created and initialised',
      value: many.createMs / 1000,
      unit: 's',
      ratio: null,
      against: '',
      aim: '< 10 s',
      met: many.createMs < 10_000,
    },
    {
      name: `a claim at ${full ? '1,000,000' : '100,000'} ready`,
      value: most.claimMs,
      unit: 'ms',
      ratio: claimRatio,
      against: `at 1,000: ${few.claimMs.toFixed(2)} ms`,
      aim: '<= 1.5',
      met: claimRatio <= 1.5,
    },
  ];
}

async function create(jobs: number): Promise<{ createMs: number; claimMs: number }> {
  return inTempDir(async (dir) => {
    const spec = `name: many\njobs:\n  - name: job_{i}\n    command: echo {i}\n    parameters: { i: "1:${jobs}" }\n`;
    writeFileSync(join(dir, 'many.yaml'), spec);
    holdfast(dir, 'validate', 'many.yaml', '--output', 'quiet');
    const start = performance.now();
    const loaded = loadSpec(spec, 'many.yaml');
    if (!loaded.ok) throw new Error('the spec of the benchmark is wrong');
    const engine = await openEngine({ dir: join(dir, '.holdfast'), create: true });
    const { id } = await engine.createWorkflow({
      model: loaded.model,
      cwd: dir,
      output_dir: 'output',
      actor: 'bench',
    });
    const createMs = performance.now() - start;
    const { id: workerId } = await engine.registerWorker(ownIdentity());
    await engine.adopt(id, workerId);
    const claims: number[] = [];
    for (let round = 0; round < 300; round += 1) {
      const before = performance.now();
      await engine.exchange(workerId, {
        started: [],
        finished: [],
        errands: [],
        capacity: { cpus: 1, memory_bytes: 1e9, gpus: 0, slots: 1, default_cpus: 1 },
        workflow_id: id,
      });
      claims.push(performance.now() - before);
    }
    await engine.close();
    return { createMs, claimMs: median(claims) };
  });
}
