import { readEvidence } from '../../../clusters/htcondor/read/read-evidence.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { explainDag } from '../../../views/dag-explanation.ts';
import type { CommandContext } from '../../command-context.ts';
import { dagExplanationView } from '../../texts/dag-explanation-text.ts';

/** Why a DAG ended as it did, from its files alone. */
export function explainDagCommand(context: CommandContext, args: readonly string[], path: string): number {
  if (args.length > 0) {
    throw new HoldfastError('INVALID_ARGUMENT', { argument: '--dag', problem: 'not together with a job' });
  }
  context.show(dagExplanationView, explainDag(readEvidence(path)));
  return 0;
}
