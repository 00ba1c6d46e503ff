import { readEvidence } from '../../../clusters/htcondor/read/read-evidence.ts';
import { HoldfastError } from '../../../core/errors.ts';
import { importedName } from '../../../engine/dags/imported-model.ts';
import type { CommandContext, Invocation } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { userName } from '../../options/user-name.ts';
import { requestView } from '../../texts/requests/request-text.ts';

/** Stores what the files of a DAG say as a request that has ended, so that it can be looked at like any other. */
export async function importDagCommand(
  context: CommandContext,
  name: string | undefined,
  { options: { dag } }: Invocation,
): Promise<number> {
  if (typeof dag !== 'string') throw invalid('--dag', 'name the directory of the DAG, or its .dag file');
  refuseServer(context, 'a DAG is imported into the state here; run it where the server keeps its own');
  const evidence = readEvidence(dag);
  const { ended, directory, counts } = evidence;
  if (ended === null) throw unusable(directory, 'it has not ended, as far as its files say');
  if (counts.total === 0) throw unusable(directory, 'it has no nodes');
  if (ended.how === 'done') throw unusable(directory, 'it has not failed: all of its nodes are done');
  const engine = await context.openServedEngine();
  const request = await engine.importDag({
    name: name ?? importedName(directory),
    evidence,
    actor: userName(),
  });
  for (const line of evidence.unknown) context.narrate(`note: ${line}`);
  context.show(requestView, { request });
  return 0;
}

function unusable(directory: string, problem: string): HoldfastError {
  return new HoldfastError('DAG_UNREADABLE', { directory, problem });
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
