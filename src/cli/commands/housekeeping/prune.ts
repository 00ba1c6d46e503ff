import type { PruneRequest } from '../../../contract/engine.ts';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command, Invocation } from '../../command-context.ts';
import { durationOption } from '../../options/duration-option.ts';
import { userName } from '../../options/user-name.ts';
import { wholeNumberOption } from '../../options/whole-number-option.ts';
import { removalsView } from '../../texts/housekeeping-text.ts';

type Statuses = NonNullable<PruneRequest['statuses']>;

const STATUSES: Statuses = ['completed', 'failed', 'canceled'];

export const pruneCommand: Command = async (context, { options }) => {
  const olderThan = durationOption('--older-than', options.olderThan);
  const keep = wholeNumberOption('--keep', options.keep, 0);
  const statuses = statusOption(options);
  if (olderThan === undefined && keep === undefined) throw nothingSaid();
  const dryRun = options.dryRun === true;
  const engine = await context.openEngine();
  const { removed, kept } = await engine.pruneWorkflows({
    actor: userName(),
    dry_run: dryRun,
    ...(olderThan !== undefined && { older_than_ms: olderThan }),
    ...(keep !== undefined && { keep }),
    ...(statuses !== undefined && { statuses }),
  });
  context.show(removalsView, { dry_run: dryRun, removed, kept });
  return 0;
};

function statusOption({ status }: Invocation['options']): Statuses | undefined {
  if (status === undefined) return undefined;
  return String(status)
    .split(',')
    .map((word) => {
      const found = STATUSES.find((each) => each === word.trim());
      if (found !== undefined) return found;
      throw new HoldfastError('INVALID_ARGUMENT', {
        argument: '--status',
        problem: `must be some of ${STATUSES.join(', ')}, not ${word}`,
      });
    });
}

/** A command that removes everything when it is called without arguments would be a trap. */
function nothingSaid(): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', {
    argument: 'prune',
    problem: 'say what to remove: --older-than 30d, --keep 20, or both',
  });
}
