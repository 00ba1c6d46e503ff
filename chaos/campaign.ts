import { Random } from './random.ts';
import { Step, seconds } from './step.ts';
import { Tally } from './tally.ts';
import { type Database, World } from './world.ts';

export interface CampaignOptions {
  seed: number;
  database: Database;
  /** Ends after the step in which one of these is reached. */
  minutes: number;
  faults: number;
  /** One small step after another, without faults that outlast a lease. */
  quick: boolean;
  print: (line: string) => void;
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

/** Breaks things while work is done, puts them right, waits until all has ended, and checks; again and again. */
export async function runCampaign(options: CampaignOptions): Promise<Tally> {
  const { seed, database, quick, print } = options;
  const tally = new Tally();
  const end = performance.now() + options.minutes * 60_000;
  let world: World | null = null;
  const interrupted = () => {
    print(`interrupted; seed ${seed}, step ${tally.steps}`);
    void world?.stop({ keep: false }).finally(() => process.exit(130));
  };
  for (const signal of SIGNALS) process.once(signal, interrupted);
  try {
    do {
      tally.steps += 1;
      const random = new Random(seed * 10_007 + tally.steps);
      const size = { database, servers: 2, workers: quick ? 2 : 3 };
      // Of its own: how often it draws depends on the machine.
      const network = new Random(seed);
      world ??= await World.start(size, () => network.next());
      for (const reason of world.lacks) tally.skipped.add(`full disks: ${reason}`);
      const step = new Step(world, random, options, tally);
      const found = await step.run();
      const { brokeMs, settledMs, slowest } = step;
      print(
        `step ${tally.steps}: ${tally.faults()} faults, ${tally.jobs} jobs, ${found.length} violations; broke for ${seconds(brokeMs)}, settled in ${seconds(settledMs)}${slowest}`,
      );
      if (found.length > 0) {
        for (const text of found) print(`VIOLATION (seed ${seed}, step ${tally.steps}): ${text}`);
        print(`kept: ${world.dir}`);
        tally.violations.push(...found);
        await world.stop({ keep: true });
        world = null;
      }
    } while (performance.now() < end && tally.faults() < options.faults);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupted);
    await world?.stop({ keep: false });
  }
  return tally;
}
