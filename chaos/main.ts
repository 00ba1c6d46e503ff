import { parseArgs } from 'node:util';
import { runCampaign } from './campaign.ts';

const USAGE = `npm run chaos -- --minutes N [--seed S] [--faults N] [--database sqlite|postgres] [--quick]

Kills, stops and cuts off servers, workers, launchers, drivers and PostgreSQL while workflows and requests run, and
checks what is left. Ends after N minutes or N faults, whichever comes first (default: 10 minutes). Exits with 1 after
a violation, whose directory is kept. A seed gives the same workflows and the same list of faults; when they meet is
up to the machine.`;

function wholeNumber(name: string, text: string | undefined, otherwise: number): number {
  if (text === undefined) return otherwise;
  const value = Number(text);
  if (!(value > 0) || !Number.isFinite(value)) throw new Error(`--${name} must be a number above 0: ${text}`);
  return value;
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string' },
      seed: { type: 'string' },
      faults: { type: 'string' },
      database: { type: 'string', default: 'sqlite' },
      quick: { type: 'boolean', default: false },
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

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`error: ${(error as Error).stack}`);
  process.exitCode = 2;
}
