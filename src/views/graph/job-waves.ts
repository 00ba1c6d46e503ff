import type { JobGraph } from './job-graph.ts';

/**
 * Job indexes by wave: a job is in the wave after the last of its dependencies. Walks sets, not
 * edges, so that a barrier of 1,000 × 1,000 costs 2,000 steps. Jobs on call are in none.
 */
export function jobWaves({ jobs, sets }: JobGraph): number[][] {
  const open = sets.map((members) => members.length);
  const usersOfSet: number[][] = sets.map(() => []);
  const setsOfJob: number[][] = jobs.map(() => []);
  for (const [job, { set, isOnCall }] of jobs.entries()) {
    if (set !== null && !isOnCall) usersOfSet[set]!.push(job);
  }
  for (const [set, members] of sets.entries()) for (const job of members) setsOfJob[job]!.push(set);

  const waves: number[][] = [];
  let wave = jobs.flatMap(({ set, isOnCall }, job) =>
    !isOnCall && (set === null || open[set] === 0) ? [job] : [],
  );
  while (wave.length > 0) {
    waves.push(wave);
    const next: number[] = [];
    for (const job of wave) {
      for (const set of setsOfJob[job]!) {
        open[set]! -= 1;
        if (open[set] === 0) for (const user of usersOfSet[set]!) next.push(user);
      }
    }
    wave = next.sort((a, b) => a - b);
  }
  return waves;
}
