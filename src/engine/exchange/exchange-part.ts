import type { Exchange, ExchangeResult } from '../../contract/records/exchange.ts';
import type { ExchangingWorker } from '../../store/rows/workers/worker-rows.ts';

/** What one worker sends and is answered, in a transaction that several workers may share. */
export interface ExchangePart {
  worker: ExchangingWorker;
  request: Exchange;
  result: ExchangeResult;
  /** Something was changed that others may want to know. */
  changed: boolean;
  /** Nothing was claimed though another transaction was at work where there may be something: worth another look. */
  contended: boolean;
}
