import type { NotifyPolicy } from '../../spec/notify/notify-policy.ts';
import type { Settings } from '../config/settings.ts';

/** Whom a server notifies for the specs of others. */
export function serverPolicy({ notify, smtp, notify_hosts: hosts }: Settings): NotifyPolicy {
  return { targets: notify.map(({ name }) => name), hasMail: smtp !== null, hosts };
}

/** Whom this process notifies for the user's own specs. */
export function ownPolicy(settings: Settings): NotifyPolicy {
  return { ...serverPolicy(settings), hosts: null };
}
