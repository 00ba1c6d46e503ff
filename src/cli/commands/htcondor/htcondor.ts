import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { exportDag } from './export-dag.ts';

export const htcondorCommand: Command = async (context, { args, options }) => {
  const [action, spec] = args;
  if (action !== 'export') {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'action',
      problem: `must be export, not ${JSON.stringify(action)}`,
    });
  }
  if (spec === undefined) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: 'spec', problem: 'name a spec' });
  }
  exportDag(context, spec, options);
  return 0;
};
