import type { ServerErrandHandler } from '../contract/records/errand.ts';
import type { Subscriber } from '../core/notify/notify-model.ts';
import type { PauseFor } from './exchange/renewal-queue.ts';

export interface LocalEngineOptions {
  /** How a server does errands itself; each kind by one handler. */
  serverErrands?: readonly ServerErrandHandler[] | undefined;
  /** How long bans by hand last (default: 7 days). */
  siteBanDays?: number | undefined;
  /** null: there is none. */
  stateDir?: string | null;
  /** Targets of the configuration of this process. */
  subscribers?: readonly Subscriber[] | undefined;
  /** A clock that cannot be set, in milliseconds (default: that of the system). */
  monotonic?: (() => number) | undefined;
  /** Waits so many milliseconds, to let exchanges share a transaction (default: that long). */
  pause?: PauseFor | undefined;
}
