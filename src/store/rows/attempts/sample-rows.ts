import type { UsageSample } from '../../../core/job/usage-samples.ts';
import { first, run, type Script } from '../../script.ts';

/** Samples that were stored before are replaced. */
export function* putSamples(token: number, samples: readonly UsageSample[]): Script<void> {
  yield* run(
    `insert into attempt_samples (token, sample_count, samples) values (?, ?, ?)
     on conflict (token) do update set sample_count = excluded.sample_count, samples = excluded.samples`,
    token,
    samples.length,
    JSON.stringify(samples),
  );
}

export function* findSamples(token: number): Script<UsageSample[]> {
  const row = yield* first<{ samples: string }>('select samples from attempt_samples where token = ?', token);
  return row === undefined ? [] : (JSON.parse(row.samples) as UsageSample[]);
}
