import type { QueryOf } from '../../api/endpoint.ts';
import type { endpoints } from '../../api/endpoints.ts';
import type { Engine, JobQuery } from '../../core/engine.ts';
import type { JobRecord, Page } from '../../core/records.ts';

const DEFAULT_LIMIT = 100;

/** Jobs of one workflow or of all, in the order of their numbers, which all workflows share. */
export async function listAllJobs(
  engine: Engine,
  { workflow_id, status, ...page }: QueryOf<typeof endpoints.listAllJobs>,
): Promise<Page<JobRecord>> {
  const query: JobQuery = { ...page, ...(status && { statuses: status }) };
  if (workflow_id !== undefined) return engine.listJobs(workflow_id, query);
  const limit = page.limit ?? DEFAULT_LIMIT;
  let found: JobRecord[] = [];
  let after: number | undefined;
  do {
    const workflows = await engine.listWorkflows({ limit: 1000, ...(after !== undefined && { after }) });
    for (const { id } of workflows.items) {
      const { items } = await engine.listJobs(id, query);
      if (items.length > 0) found = [...found, ...items].sort((a, b) => a.id - b.id).slice(0, limit);
    }
    after = workflows.next ?? undefined;
  } while (after !== undefined);
  return { items: found, next: found.length === limit ? found.at(-1)!.id : null };
}
