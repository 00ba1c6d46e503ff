import type { Role } from '../../contract/roles.ts';

/** Whom the server takes the one behind a request for. */
export interface Caller {
  /** The token's; of no meaning on a server that asks nobody for one. */
  name: string;
  role: Role;
  /** Groups of the configuration that have the name. */
  groups: string[];
  auth: 'none' | 'token';
}

/** On a server without auth, which only this machine can reach, everybody may do everything. */
export const ANYBODY: Caller = { name: 'anybody', role: 'admin', groups: [], auth: 'none' };
