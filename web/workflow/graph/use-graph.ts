import { useQuery } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { paced } from '../../app/pacing.ts';

/** The groups of a workflow. Servers need a while for those of 100,000 jobs, and are asked accordingly often. */
export function useGraph(workflow: number) {
  const { data, error } = useQuery({
    queryKey: ['graph', workflow],
    queryFn: () => paced(() => call('graph', workflow)),
  });
  return { graph: data?.value ?? null, error };
}
