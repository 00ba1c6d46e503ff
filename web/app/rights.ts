import { useQuery } from '@tanstack/react-query';
import type { WorkflowRecord } from '../../src/contract/records/records.ts';
import { call } from '../api/call.ts';

/** The workflow that something belongs to; undefined until it is read. */
export function useWorkflow(workflow: number): WorkflowRecord | undefined {
  return useQuery({ queryKey: ['workflow', workflow], queryFn: () => call('getWorkflow', workflow) }).data;
}

/** Whether the caller may change the workflow, as the server says: a button that ends in a refusal is not shown. */
export function useMayChange(workflow: number): boolean {
  return useWorkflow(workflow)?.may_change === true;
}
