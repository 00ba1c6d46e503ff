import type { ReactNode } from 'react';
import type { WorkerRecord } from '../../src/contract/records/records.ts';
import { formatDuration, formatSize } from '../../src/core/text/quantity.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { Button } from '../parts/button.tsx';
import { StatusMark, type Tone } from '../parts/status-icon.tsx';
import { TimeText } from '../parts/time-text.tsx';
import { counted } from '../parts/words.ts';
import { HeldJobs } from './held-jobs.tsx';

const TONES: Record<WorkerRecord['state'], Tone> = {
  active: 'good',
  draining: 'blocked',
  suspect: 'asks',
  lost: 'bad',
  retired: 'off',
};

const MEANINGS: Record<WorkerRecord['state'], string> = {
  active: 'active',
  draining: 'draining',
  suspect: 'suspect: silent, takes no jobs',
  lost: 'lost: its jobs are taken back',
  retired: 'retired',
};

/** A worker: what it has, where it is, its lease, and the jobs that it holds. `null`: the caller may not drain it. */
export function WorkerCard({ worker, onDrain }: { worker: WorkerRecord; onDrain: (() => void) | null }) {
  const { id, host, pid, state, kind, site, labels, allocation_id, registered_at_ms, running } = worker;
  const isGone = state === 'retired' || state === 'lost';
  return (
    <li className="rounded-lg border border-line bg-card px-4 py-3">
      <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="font-semibold wrap-anywhere">
            Worker {id} on {visibleText(host)}
          </h3>
          <p className="flex flex-wrap gap-x-4 text-sm">
            <StatusMark tone={TONES[state]}>{MEANINGS[state]}</StatusMark>
            <span className="text-quiet">{counted(running, 'job')}</span>
          </p>
        </div>
        {onDrain !== null && !isGone && state !== 'draining' && (
          <Button aria-label={`Drain worker ${id}`} onClick={onDrain}>
            Drain …
          </Button>
        )}
      </div>
      <dl className="mt-2 grid grid-cols-1 gap-x-6 gap-y-1 text-sm sm:grid-cols-2 lg:grid-cols-4">
        <Fact name="Has">{resources(worker)}</Fact>
        <Fact name="Site">{visibleText(site)}</Fact>
        <Fact name="Labels">{labels.length === 0 ? 'none' : visibleText(labels.join(', '))}</Fact>
        <Fact name="Lease">
          <Lease worker={worker} />
        </Fact>
        <Fact name="Process">
          {pid} ({kind})
        </Fact>
        <Fact name="Registered">
          <TimeText at={registered_at_ms} />
        </Fact>
        {allocation_id !== null && <Fact name="Allocation">{allocation_id}</Fact>}
        {worker.ends_at_ms !== null && (
          <Fact name="Ends">
            <TimeText at={worker.ends_at_ms} />
          </Fact>
        )}
      </dl>
      {running > 0 && <HeldJobs worker={id} count={running} />}
    </li>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 gap-1.5">
      <dt className="shrink-0 text-quiet">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  );
}

/** `4 CPUs, 16g of memory, 1 GPU, at most 2 jobs at once`. */
function resources({ cpus, memory_bytes, gpus, nodes, max_parallel }: WorkerRecord): string {
  return [
    ...(nodes === null || nodes === 1 ? [] : [counted(nodes, 'node')]),
    counted(cpus, 'CPU'),
    `${formatSize(memory_bytes)} of memory`,
    ...(gpus === 0 ? [] : [counted(gpus, 'GPU')]),
    ...(max_parallel === null ? [] : [`at most ${counted(max_parallel, 'job')} at once`]),
  ].join(', ');
}

/** How long it keeps its jobs without contact. */
function Lease({ worker: { state, lease_ms, lease_expires_at_ms } }: { worker: WorkerRecord }) {
  if (state === 'retired') return 'ended';
  if (state === 'active' || state === 'draining') return `${formatDuration(lease_ms)}, being renewed`;
  return (
    <>
      {state === 'lost' ? 'ended' : 'ends'} <TimeText at={lease_expires_at_ms} />
    </>
  );
}
