import { expect, test } from 'vitest';
import { runCampaign } from '../../chaos/campaign.ts';

test('a short campaign with a fixed seed finds nothing lost, doubled, stuck or wrongly charged', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = [];
  const tally = await runCampaign({
    ...{ seed: 1, database: 'sqlite', minutes: Number.MAX_SAFE_INTEGER, faults: 1, quick: true },
    print: (line) => lines.push(line),
  });
  expect(tally.violations, lines.join('\n')).toEqual([]);
  // Five workflows, one of them under a process of its own, and a request of at least two rounds.
  expect([tally.workflows, tally.requests]).toEqual([5, 1]);
  expect(tally.jobs).toBeGreaterThan(25);
  expect(tally.faults()).toBeGreaterThanOrEqual(8);
});
