import type { z } from 'zod';
import type {
  banRecord,
  holdRecord,
  itemRecord,
  requestChange,
  requestErrors,
  requestRecord,
  requestSummary,
  restartedRequest,
  roundRecord,
  siteRecord,
  unitRecord,
} from '../schemas/request-records.ts';

export type RequestRecord = z.infer<typeof requestRecord>;
export type RequestSummary = z.infer<typeof requestSummary>;
export type HoldRecord = z.infer<typeof holdRecord>;
export type RoundRecord = z.infer<typeof roundRecord>;
export type UnitRecord = z.infer<typeof unitRecord>;
export type ItemRecord = z.infer<typeof itemRecord>;
export type RequestChange = z.infer<typeof requestChange>;
export type RestartedRequest = z.infer<typeof restartedRequest>;
export type RequestErrors = z.infer<typeof requestErrors>;
export type BanRecord = z.infer<typeof banRecord>;
export type SiteRecord = z.infer<typeof siteRecord>;
