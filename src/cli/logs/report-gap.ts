import { formatSize } from '../../core/text/quantity.ts';
import type { CommandContext } from '../command-context.ts';

/** A server has the end of a log and what was read while it grew; the rest is where the attempt ran. */
export function reportGap({ narrate }: Pick<CommandContext, 'narrate'>): (bytes: number) => void {
  return (bytes) => narrate(`${formatSize(bytes)} before this are only on the machine where it ran`);
}
