import { constants } from 'node:fs';

const { O_APPEND, O_CREAT, O_NONBLOCK, O_TRUNC, O_WRONLY } = constants;

/** How the log of an attempt is opened: several processes may write to it, and nobody waits for a pipe in its place. */
export const LOG_FLAGS = O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NONBLOCK;
/** Its permissions, before the umask. */
export const LOG_MODE = 0o666;
