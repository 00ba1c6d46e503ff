import { z } from 'zod';
import { ALLOCATION_STATES } from '../../core/allocation/allocation-transitions.ts';
import { created, json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { idParameter, listOf, pageQuery } from '../parameters.ts';
import {
  allocationSchema,
  newAllocations,
  reasonRequest,
  schedulerSchema,
  schedulersChange,
} from '../schemas/allocation-records.ts';
import { page } from '../schemas/scalars.ts';

const tag = 'Allocations';

export const allocationEndpoints = {
  listSchedulers: operation({
    method: 'GET',
    path: '/api/v1/workflows/{workflow_id}/schedulers',
    role: 'viewer',
    tag,
    summary: 'Lists the schedulers of a workflow, and whether allocations of them can be had.',
    query: z.strictObject(pageQuery),
    answer: json(page(schedulerSchema)),
  }),
  putSchedulers: operation({
    method: 'PUT',
    path: '/api/v1/workflows/{workflow_id}/schedulers',
    role: 'operator',
    tag,
    summary: 'Adds schedulers to a workflow, or replaces those of the same name.',
    body: schedulersChange,
    answer: json(page(schedulerSchema)),
  }),
  resumeScheduler: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/schedulers/{name}/resume',
    repeatable: true,
    role: 'operator',
    tag,
    summary: 'Resumes a scheduler that is paused or waits after a refusal.',
    answer: json(schedulerSchema),
  }),
  listAllocations: operation({
    method: 'GET',
    path: '/api/v1/allocations',
    role: 'viewer',
    tag,
    summary: 'Lists allocations, newest first.',
    query: z.strictObject({
      ...pageQuery,
      workflow_id: idParameter.exactOptional(),
      state: listOf(z.enum(ALLOCATION_STATES)).exactOptional(),
    }),
    answer: json(page(allocationSchema)),
  }),
  orderAllocations: operation({
    method: 'POST',
    path: '/api/v1/workflows/{workflow_id}/allocations',
    role: 'operator',
    tag,
    summary: 'Orders allocations for a workflow; they are submitted soon.',
    body: newAllocations,
    answer: created(page(allocationSchema)),
  }),
  cancelAllocation: operation({
    method: 'POST',
    path: '/api/v1/allocations/{allocation_id}/cancel',
    role: 'operator',
    tag,
    summary: 'Cancels an allocation; what runs in it is lost, free of charge.',
    body: reasonRequest.meta({ id: 'CancelAllocationRequest' }),
    answer: json(allocationSchema),
  }),
};
