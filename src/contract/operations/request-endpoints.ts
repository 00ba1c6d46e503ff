import { z } from 'zod';
import { ITEM_STATES, REQUEST_STATES, UNIT_STATES } from '../../core/request/request-states.ts';
import { created, endpoint, json } from '../endpoint.ts';
import { operation } from '../operation.ts';
import { flagParameter, listOf, pageQuery, wholeNumber } from '../parameters.ts';
import { newRequestSchema } from '../schemas/new-request.ts';
import {
  banRecord,
  createdRequest,
  itemRecord,
  removedBans,
  requestChange,
  requestErrors,
  requestRecord,
  requestSummary,
  restartedRequest,
  roundRecord,
  siteRecord,
  unitRecord,
} from '../schemas/request-records.ts';
import { page, reason } from '../schemas/scalars.ts';
import { auditSchema } from '../schemas/token.ts';

const tag = 'Requests';
const byRole = { viewer: { role: 'viewer', tag }, operator: { role: 'operator', tag } } as const;

const siteName = z.string().min(1).max(200);
const actionBody = { reason: reason.exactOptional(), dry_run: z.boolean().exactOptional() };

const simpleAction = z.strictObject(actionBody).meta({ id: 'RequestAction' });

const releaseBody = z
  .strictObject({
    ...actionBody,
    retry_count: z.int().min(0).max(1000).exactOptional().describe('Retries of each processing job.'),
    error_hold_threshold: z.number().min(0).max(1).exactOptional(),
    error_max_rescue_attempts: z.int().min(0).max(1000).exactOptional(),
    site_bans: z.array(siteName).max(1000).exactOptional().describe('Sites that the request avoids.'),
    excluded_files: z
      .array(z.string().min(1).max(10_000))
      .max(100_000)
      .exactOptional()
      .describe('Items that are not processed any more.'),
    memory_mb: z.int().min(1).max(1e9).exactOptional().describe('Memory of each processing job.'),
  })
  .meta({ id: 'Release' });

const stopBody = z
  .strictObject({
    ...actionBody,
    pause: z.boolean().exactOptional().describe('Keeps it out of the queue until it is resumed.'),
  })
  .meta({ id: 'StopRequest' });

const banBody = z
  .strictObject({
    reason: reason.min(1).exactOptional(),
    request: z
      .string()
      .min(1)
      .max(200)
      .exactOptional()
      .describe('Only for this request (default: for all work).'),
    duration_days: z
      .number()
      .gt(0)
      .max(36_500)
      .exactOptional()
      .describe('(default: `site_ban_duration_days`)'),
  })
  .meta({ id: 'BanSite' });

export const requestEndpoints = {
  createRequest: endpoint({
    method: 'POST',
    path: '/api/v1/requests',
    ...byRole.operator,
    summary: 'Checks a spec of kind request and stores it; it starts when it is admitted.',
    body: newRequestSchema,
    answer: created(createdRequest),
  }),
  listRequests: operation({
    method: 'GET',
    path: '/api/v1/requests',
    ...byRole.viewer,
    summary: 'Lists requests, newest first.',
    query: z.strictObject({
      ...pageQuery,
      state: listOf(z.enum(REQUEST_STATES)).exactOptional().describe('Only requests in these states.'),
    }),
    answer: json(page(requestSummary)),
  }),
  getRequest: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}',
    ...byRole.viewer,
    summary: 'Returns one request: where it stands, its ledger, its rounds and what to do next.',
    answer: json(requestRecord),
  }),
  listRounds: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}/rounds',
    ...byRole.viewer,
    summary: 'Lists the rounds of a request, newest first.',
    query: z.strictObject(pageQuery),
    answer: json(page(roundRecord)),
  }),
  listUnits: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}/units',
    ...byRole.viewer,
    summary: 'Lists the units of a request in the order of their numbers.',
    query: z.strictObject({
      ...pageQuery,
      round: wholeNumber(1).exactOptional(),
      state: listOf(z.enum(UNIT_STATES)).exactOptional(),
    }),
    answer: json(page(unitRecord)),
  }),
  listItems: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}/items',
    ...byRole.viewer,
    summary: 'Lists the items of an inventory.',
    query: z.strictObject({
      ...pageQuery,
      state: listOf(z.enum(ITEM_STATES)).exactOptional(),
      unit: wholeNumber(1).exactOptional().describe('Only items of the unit with this number.'),
    }),
    answer: json(page(itemRecord)),
  }),
  requestErrors: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}/errors',
    ...byRole.viewer,
    summary: 'Summarises the failures of a round: by category, site and exit code, with log excerpts.',
    query: z.strictObject({ round: wholeNumber(1).exactOptional().describe('(default: the newest)') }),
    answer: json(requestErrors),
  }),
  requestHistory: operation({
    method: 'GET',
    path: '/api/v1/requests/{request_name}/history',
    ...byRole.viewer,
    summary: 'Lists what happened to a request and who did it, newest first.',
    query: z.strictObject(pageQuery),
    answer: json(page(auditSchema)),
  }),
  releaseRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/release',
    ...byRole.operator,
    summary: 'Continues a held request with its next round; changes apply as a whole or not at all.',
    body: releaseBody,
    answer: json(requestChange),
  }),
  failRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/fail',
    ...byRole.operator,
    summary: 'Ends a request as FAILED, cancels what runs and invalidates its outputs.',
    body: simpleAction,
    answer: json(requestChange),
  }),
  restartRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/restart',
    ...byRole.operator,
    summary: 'Ends a request as FAILED and submits it again as the next version.',
    body: simpleAction,
    answer: json(restartedRequest),
  }),
  stopRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/stop',
    ...byRole.operator,
    summary: 'Stops a request cleanly: running attempts end free of charge, finished units stay.',
    body: stopBody,
    answer: json(requestChange),
  }),
  pauseRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/pause',
    ...byRole.operator,
    summary: 'Keeps a request that is not running out of the queue.',
    body: simpleAction,
    answer: json(requestChange),
  }),
  resumeRequest: operation({
    method: 'POST',
    path: '/api/v1/requests/{request_name}/resume',
    ...byRole.operator,
    summary: 'Puts a paused request back into the queue.',
    body: simpleAction,
    answer: json(requestChange),
  }),
  listSites: operation({
    method: 'GET',
    path: '/api/v1/sites',
    ...byRole.viewer,
    summary: 'Lists the sites of workers, and those that are banned.',
    query: z.strictObject({ banned: flagParameter.exactOptional().describe('Only banned sites.') }),
    answer: json(z.object({ items: z.array(siteRecord) }).meta({ id: 'Sites' })),
  }),
  banSite: operation({
    method: 'POST',
    path: '/api/v1/sites/{site}/ban',
    ...byRole.operator,
    summary: 'Keeps new work away from a site. Running jobs are left alone.',
    body: banBody,
    answer: created(banRecord),
  }),
  unbanSite: operation({
    method: 'DELETE',
    path: '/api/v1/sites/{site}/ban',
    ...byRole.operator,
    summary: 'Removes bans of a site.',
    query: z.strictObject({
      request: z.string().min(1).max(200).exactOptional().describe('Only the ban of this request.'),
    }),
    answer: json(removedBans),
  }),
};
