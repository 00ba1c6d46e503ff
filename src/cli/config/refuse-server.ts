import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext } from '../command-context.ts';

/** What names a server besides the flag, and how the command works without it. */
const WAYS = {
  flag: '',
  environment: '; unset this variable to work here',
  file: '; leave this key out to work here',
  default: '',
};

/** For commands that work only where the state is. A server may be named for other commands, so the place is named. */
export function refuseServer({ server, origins }: CommandContext, problem: string): void {
  if (server === null) return;
  const { origin, source } = origins.find(({ key }) => key === 'server')!;
  throw new HoldfastError('INVALID_ARGUMENT', { argument: source!, problem: `${problem}${WAYS[origin]}` });
}
