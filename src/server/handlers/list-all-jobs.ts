import type { Reader } from '../../contract/by.ts';
import type { QueryOf } from '../../contract/endpoint.ts';
import type { endpoints } from '../../contract/endpoints.ts';
import type { Engine, WorkflowQuery } from '../../contract/engine.ts';
import type { JobRecord, Page } from '../../contract/records/records.ts';

const DEFAULT_LIMIT = 100;

/** Jobs of one workflow or of all, in the order of their numbers, which all workflows share. */
export async function listAllJobs(
  engine: Engine,
  { workflow_id, ...query }: QueryOf<typeof endpoints.listAllJobs>,
  reader: Reader | undefined,
): Promise<Page<JobRecord>> {
  if (workflow_id !== undefined) return engine.listJobs(workflow_id, query);
  const limit = query.limit ?? DEFAULT_LIMIT;
  let found: JobRecord[] = [];
  let after: number | undefined;
  do {
    const listed: WorkflowQuery = {
      limit: 1000,
      ...(after !== undefined && { after }),
      ...(reader !== undefined && { reader }),
    };
    const workflows = await engine.listWorkflows(listed);
    for (const { id } of workflows.items) {
      const { items } = await engine.listJobs(id, query);
      if (items.length > 0) found = [...found, ...items].sort((a, b) => a.id - b.id).slice(0, limit);
    }
    after = workflows.next ?? undefined;
  } while (after !== undefined);
  return { items: found, next: found.length === limit ? found.at(-1)!.id : null };
}
