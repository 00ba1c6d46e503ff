import { constants } from 'node:fs';

/** How the log of an attempt is opened: several processes may write to it. */
export const LOG_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_APPEND;
/** Its permissions, before the umask. */
export const LOG_MODE = 0o666;
