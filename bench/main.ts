import { cpus } from 'node:os';
import { createMany, submitMany } from './create-many.ts';
import { benchFiles } from './files-bench.ts';
import { benchFleet } from './fleet/fleet-bench.ts';
import { FLEET_FLAG, simulateFleet } from './fleet/fleet-process.ts';
import { benchGraphs } from './graph-bench.ts';
import { benchHTCondor } from './htcondor-bench.ts';
import type { BenchLine } from './measure.ts';
import { benchPlots } from './plots-bench.ts';
import { benchPolicy } from './policy-bench.ts';
import { benchRequests } from './requests-bench.ts';
import { benchRouting } from './routing-bench.ts';
import { benchSandbox } from './sandbox-bench.ts';
import { benchScale } from './scale-bench.ts';
import { benchServer } from './server-bench.ts';
import { benchSlurm } from './slurm-bench.ts';
import { benchStart } from './start-bench.ts';
import { benchThroughput } from './throughput-bench.ts';
import { benchUpdates } from './update-bench.ts';

/** `--workers N`: `scale` simulates so many. */
const workers = numberAfter('--workers');

const GROUPS: Record<string, () => Promise<BenchLine[]>> = {
  start: benchStart,
  throughput: benchThroughput,
  graphs: benchGraphs,
  policy: benchPolicy,
  routing: benchRouting,
  requests: benchRequests,
  files: benchFiles,
  updates: benchUpdates,
  sandbox: benchSandbox,
  server: benchServer,
  slurm: benchSlurm,
  htcondor: benchHTCondor,
  scale: () => (workers === null ? benchScale(process.argv.includes('--full')) : benchFleet(workers)),
  plots: benchPlots,
};

/** It writes to docs/. */
const ONLY_IF_ASKED = ['plots'];

if (process.argv.includes(FLEET_FLAG)) simulateFleet();
else if (process.argv[2] === '--create-many') await createMany(Number(process.argv[3]), process.argv[4]!);
else if (process.argv[2] === '--submit-many') await submitMany(Number(process.argv[3]), process.argv[4]!);
else await runAll();

async function runAll(): Promise<void> {
  const wanted = process.argv.slice(2).filter((argument) => /^[a-z]/.test(argument));
  const unknown = wanted.filter((name) => !(name in GROUPS));
  if (unknown.length > 0) {
    process.stderr.write(
      `no such group: ${unknown.join(', ')}; there are ${Object.keys(GROUPS).join(', ')}\n`,
    );
    process.exit(2);
  }
  const lines: BenchLine[] = [];
  for (const [name, run] of Object.entries(GROUPS)) {
    if (wanted.length > 0 ? !wanted.includes(name) : ONLY_IF_ASKED.includes(name)) continue;
    process.stderr.write(`measuring ${name} …\n`);
    lines.push(...(await run()));
  }

  const text = lines.map((line) => [
    line.name,
    `${line.value.toFixed(line.value < 10 ? 2 : 0)} ${line.unit}`,
    line.ratio === null ? '' : line.ratio.toFixed(2),
    line.against,
    line.aim,
    line.met === null ? '' : line.met ? 'met' : 'NOT MET',
  ]);
  const table = [['measure', 'value', 'ratio', 'against', 'aim', ''], ...text];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  console.log(JSON.stringify({ node: process.version, cpus: cpus().length, lines }));
}

function numberAfter(flag: string): number | null {
  const at = process.argv.indexOf(flag);
  if (at < 0) return null;
  const number = Number(process.argv[at + 1]);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${flag} needs a number`);
  return number;
}
