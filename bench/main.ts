import { cpus } from 'node:os';
import { benchFiles } from './files-bench.ts';
import { benchGraphs } from './graph-bench.ts';
import { benchHTCondor } from './htcondor-bench.ts';
import type { BenchLine } from './measure.ts';
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
  scale: () => benchScale(process.argv.includes('--full')),
};

const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const lines: BenchLine[] = [];
for (const [name, run] of Object.entries(GROUPS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
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
