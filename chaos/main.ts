import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';
import { runHealth } from './health/run-health.ts';
import type { Database } from './world.ts';

const USAGE = `npm run chaos -- --minutes N [--seed S] [--faults N] [--database sqlite|postgres] [--quick]
npm run chaos -- health --minutes N [--database sqlite|postgres] [--jobs-per-second N] [--directory DIR]

Kills, stops and cuts off servers, workers, launchers, drivers and PostgreSQL while workflows and requests run, and
checks what is left. Ends after N minutes or N faults, whichever comes first (default: 10 minutes). Exits with 1 after
a violation, whose directory is kept. A seed gives the same workflows and the same list of faults; when they meet is
up to the machine.

\`health\` breaks nothing: it keeps a server and two workers under a steady load (default: 5 jobs per second) and exits with 1
if memory, descriptors, the database or latencies grow. Samples and plots are written to DIR (default: health).`;

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new Error(`--${name} must be a number above 0: ${text}`);
  return value;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      database: { type: 'string', default: 'sqlite' },
      quick: { type: 'boolean', default: false },
      'jobs-per-second': { type: 'string' },
      directory: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const { database } = values;
  if (database !== 'sqlite' && database !== 'postgres')
    throw new Error(`--database must be sqlite or postgres: ${database}`);
  if (positionals.join() === 'health') return health(database, values);
  if (positionals.length > 0) throw new Error(`unknown: ${positionals.join(' ')}`);
  const other = (['jobs-per-second', 'directory'] as const).find((name) => values[name] !== undefined);
  if (other !== undefined) throw new Error(`--${other} is for health only`);
  const seed = Math.trunc(wholeNumber('seed', values.seed, (Date.now() % 1_000_000) + 1));
  const minutes = wholeNumber(
    'minutes',
    values.minutes,
    values.faults === undefined ? 10 : Number.MAX_SAFE_INTEGER,
  );
  const faults = wholeNumber('faults', values.faults, Number.MAX_SAFE_INTEGER);
  console.log(`seed ${seed}, ${database}`);
  const began = performance.now();
  const tally = await runCampaign({
    ...{ seed, database, minutes, faults, quick: values.quick },
    print: (line) => console.log(line),
  });
  console.log(tally.table((performance.now() - began) / 60_000));
  return tally.violations.length > 0 ? 1 : 0;
}

async function health(
  database: Database,
  values: {
    minutes?: string | undefined;
    seed?: string | undefined;
    faults?: string | undefined;
    quick: boolean;
    'jobs-per-second'?: string | undefined;
    directory?: string | undefined;
  },
): Promise<number> {
  if (values.seed !== undefined || values.faults !== undefined || values.quick)
    throw new Error('--seed, --faults and --quick are not for health, which breaks nothing');
  const problems = await runHealth({
    database,
    minutes: wholeNumber('minutes', values.minutes, 60),
    jobsPerSecond: wholeNumber('jobs-per-second', values['jobs-per-second'], 5),
    directory: values.directory ?? 'health',
    sampleMs: 15_000,
    print: (line) => console.log(line),
  });
  for (const text of problems) console.log(`PROBLEM: ${text}`);
  return problems.length > 0 ? 1 : 0;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`error: ${(error as Error).stack}`);
  process.exitCode = 2;
}
