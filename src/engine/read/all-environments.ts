import { listEnvironments } from '../../store/rows/workflows/environment-rows.ts';
import type { Store } from '../../store/store.ts';

/** The environments of the jobs of a workflow, each once; read in parts, so that other requests need not wait. */
export async function allEnvironments(store: Store, workflowId: number): Promise<Record<string, string>[]> {
  const found = new Map<string, Record<string, string>>();
  for (let after: number | null = 0; after !== null; ) {
    const from: number = after;
    const { environments, next } = await store.read(() => listEnvironments(workflowId, from));
    for (const each of environments) found.set(JSON.stringify(each), each);
    after = next;
  }
  return [...found.values()];
}
