/** Of a worker that does not ask for another: one that drives a run dies with it, and is missed soon. */
export const LEASE_MS = 30_000;
/** Of a worker of a server, so that an outage of the server or the network costs no work. */
export const SERVICE_LEASE_MS = 600_000;
/** Shorter ones end before a worker can renew them. */
export const SHORTEST_LEASE_MS = 3_000;
export const LONGEST_LEASE_MS = 7 * 24 * 3_600_000;
