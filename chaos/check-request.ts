import type { Api } from './api.ts';
import { readLedger } from './ledger.ts';

interface Unit {
  number: number;
  workflow_id: number;
  state: string;
  first: string;
  last: string;
  size: number;
}
interface Job {
  id: number;
  name: string;
  status: string;
}

/** The ledger of a completed request adds up, by its units and by what their jobs wrote down. */
export async function checkRequest(
  api: Api,
  { name, total }: { name: string; total: number },
  ledger: string,
): Promise<{ violations: string[]; jobs: number }> {
  const violations: string[] = [];
  const must = (holds: boolean, text: string) => {
    if (!holds) violations.push(`request ${name}: ${text}`);
  };
  const { body: request } = await api.ask('GET', `/requests/${name}`);
  must(request.status === 'COMPLETED', `is ${request.status}`);
  must(request.delivered === String(total), `delivered ${request.delivered} of ${total}`);
  const units = await api.list<Unit>(`/requests/${name}/units`);
  const done = units.filter(({ state }) => state === 'done');
  const sum = done.reduce((before, { size }) => before + size, 0);
  must(sum === total, `done units hold ${sum} numbers, not ${total}`);
  let next = 1;
  for (const unit of units) {
    must(Number(unit.first) === next, `unit ${unit.number} begins at ${unit.first}, not ${next}`);
    next = Number(unit.last) + 1;
  }
  let jobs = 0;
  for (const { workflow_id } of request.rounds) {
    const list = await api.list<Job>(`/workflows/${workflow_id}/jobs`);
    jobs += list.length;
    const attempts = await api.list<{ job_id: number; run_id: number; attempt_id: number; state: string }>(
      `/workflows/${workflow_id}/attempts`,
    );
    for (const job of list) {
      const own = attempts.filter(({ job_id }) => job_id === job.id);
      const successes = own.filter(({ state }) => state === 'SUCCEEDED').length;
      must(successes <= 1, `${job.name} succeeded ${successes} times`);
      const lines = readLedger(ledger, workflow_id, job.id);
      must(!lines.some(({ kind }) => kind === 'overlap'), `two attempts of ${job.name} were alive at once`);
      const starts = lines
        .filter(({ kind }) => kind === 'start')
        .map((line) => `${line.run}/${line.attempt}`);
      must(new Set(starts).size === starts.length, `an attempt of ${job.name} was started twice`);
      const isDone = units.some(
        (unit) =>
          unit.state === 'done' &&
          unit.workflow_id === workflow_id &&
          job.name.startsWith(`unit_${String(unit.number).padStart(6, '0')}_`),
      );
      const ended = lines.some(({ kind, code }) => kind === 'end' && code === 0);
      if (isDone) must(successes === 1 && ended, `${job.name} of a done unit did not come to its end`);
    }
  }
  return { violations, jobs };
}
