/** What a request says of the pool that runs its rounds; null: as the configuration does. */
export interface PoolChoices {
  /** A job that is held for so long is removed, and its attempt counts as an infrastructure failure. */
  hold_timeout_ms: number | null;
  /** Attribute of machines that names their site. */
  site_attribute: string | null;
}

export const NO_POOL_CHOICES: PoolChoices = { hold_timeout_ms: null, site_attribute: null };

export const DEFAULT_HOLD_TIMEOUT_MS = 600_000;
/** HTCondor counts seconds. */
export const SHORTEST_HOLD_MS = 1000;
/** The attribute that the pools of the Open Science Grid name sites with. */
export const DEFAULT_SITE_ATTRIBUTE = 'GLIDEIN_Site';

/** Attributes of machines are words. */
export const ATTRIBUTE_NAME = /^[A-Za-z_]\w{0,99}$/;
