import { useTitle } from '../parts/use-title.ts';
import { AllocationList } from './allocation-list.tsx';
import { WorkerList } from './worker-list.tsx';

/** What runs jobs: workers, and the allocations of clusters that they run in. */
export function WorkersPage() {
  useTitle('Workers');
  return (
    <div className="flex flex-col gap-8">
      <h1 className="-mb-4 text-xl font-semibold tracking-tight sm:text-2xl">Workers and allocations</h1>
      <WorkerList />
      <AllocationList />
    </div>
  );
}
