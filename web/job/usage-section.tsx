import { useQuery } from '@tanstack/react-query';
import type { AttemptRecord, JobDetails } from '../../src/contract/records/records.ts';
import { formatSize } from '../../src/core/text/quantity.ts';
import { cpusOverTime } from '../../src/views/job-usage.ts';
import { call } from '../api/call.ts';
import { Problem } from '../parts/notice.tsx';
import { Card, Section } from '../parts/section.tsx';
import { UsagePlot } from './usage-plot.tsx';

/** What an attempt used over time against what its job asks for, where the workflow keeps samples. */
export function UsageSection({
  job,
  attempt,
}: {
  job: JobDetails;
  attempt: Pick<AttemptRecord, 'run_id' | 'attempt_id' | 'finished_at_ms'>;
}) {
  const { run_id, attempt_id, finished_at_ms } = attempt;
  const query = useQuery({
    queryKey: ['samples', job.workflow_id, job.id, run_id, attempt_id, finished_at_ms],
    queryFn: () => call('samples', job.workflow_id, job.id, { run_id, attempt_id }),
    enabled: job.config.sample_ms !== null,
  });
  if (query.error !== null) return <Problem error={query.error} />;
  const samples = query.data?.samples ?? [];
  if (samples.length < 2) return null;
  const cpus = cpusOverTime(samples);
  return (
    <Section title={`Resources of attempt ${attempt_id}`}>
      <Card className="grid gap-6 p-4 md:grid-cols-2">
        <UsagePlot
          title="Memory"
          points={samples.map(({ at_ms, rss_bytes }) => ({ at_ms, value: rss_bytes }))}
          requested={job.requirement.memory_bytes}
          format={formatSize}
        />
        <UsagePlot
          title="CPUs"
          points={samples.map(({ at_ms }, index) => ({ at_ms, value: cpus[index]! }))}
          requested={job.requirement.cpus}
          format={(value) => value.toFixed(value < 1 ? 2 : value < 10 ? 1 : 0)}
        />
      </Card>
    </Section>
  );
}
