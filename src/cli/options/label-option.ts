import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';

const LABEL = /^[^\0-\x1f\x7f]{1,200}$/;

/** The labels of a worker, as `--label` gave them. Jobs may have any name as a label, so that a worker may, too. */
export function labelOption({ lists }: Pick<Invocation, 'lists'>): string[] {
  const labels = lists.label ?? [];
  for (const label of labels) {
    if (LABEL.test(label) && label.trim() !== '') continue;
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--label',
      problem: 'must be a name of at most 200 characters',
    });
  }
  return [...new Set(labels)];
}

export const WITHOUT_WORKER = 'with a server only with --with-worker; its workers have their own';

/** Labels are those of a worker; where no worker is started here, they would have no effect. */
export function refuseLabels({ lists }: Pick<Invocation, 'lists'>, problem: string): void {
  if (lists.label === undefined) return;
  throw new HoldfastError('INVALID_ARGUMENT', { argument: '--label', problem });
}
