import type { ServedEngine } from '../../src/contract/engine.ts';

type Found = Pick<ServedEngine, 'findNews'>;

/** Whether there is something to do for any worker, or an action for a certain one. */
export async function hasWork(engine: Found): Promise<boolean> {
  const { jobs, errands, notices } = await engine.findNews(true);
  return jobs!.length > 0 || errands || notices.some(({ words }) => words.includes('action'));
}

/** Workers for which there is a notice. */
export async function workersToNotify(engine: Found): Promise<number[]> {
  return (await engine.findNews(false)).notices.map(({ worker_id }) => worker_id);
}
