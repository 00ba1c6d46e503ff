import { resolve } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import { parseSize } from '../../../core/text/quantity.ts';
import { type BundleCounts, collectBundle } from '../../bundle/collect-bundle.ts';
import { TAR_END, tarEntry } from '../../bundle/tar-entry.ts';
import type { Command, Invocation } from '../../command-context.ts';
import { workflowArgument } from '../../options/workflow-argument.ts';
import { bundleView } from '../../texts/files/bundle-text.ts';
import { refuseExisting, writeCompressed } from '../../transfer/export-file.ts';

const DEFAULT_LOG = '256k';
const DEFAULT_TOTAL = '20m';

/** Everything about a workflow that helps to find out why it failed, as one archive. */
export const logsBundleCommand: Command = async (context, { args, options }) => {
  const limits = {
    log: sizeOf('--max-log', options.maxLog, DEFAULT_LOG),
    total: sizeOf('--max-size', options.maxSize, DEFAULT_TOTAL),
  };
  const engine = await context.openEngine();
  const workflowId = await workflowArgument(engine, context, args[1]);
  await engine.getWorkflow(workflowId);
  const directory = `workflow-${workflowId}-bundle`;
  const file = typeof options.out === 'string' ? options.out : `${directory}.tar.gz`;
  refuseExisting(file);
  const counts: BundleCounts = { failed: 0, explained: 0, configs: 0, jobs: 0, logs: 0, cut: 0, left_out: 0 };
  const archive = async function* () {
    for await (const { name, data } of collectBundle(context, engine, workflowId, limits, counts)) {
      yield tarEntry(`${directory}/${name}`, data, Date.now());
    }
    yield TAR_END;
  };
  const bytes = await writeCompressed(resolve(file), archive());
  context.show(bundleView, { workflow_id: workflowId, file, bytes, ...counts });
  return 0;
};

function sizeOf(argument: string, text: Invocation['options'][string], fallback: string): number {
  const size = parseSize(typeof text === 'string' ? text : fallback);
  if (size) return size;
  throw new HoldfastError('INVALID_ARGUMENT', { argument, problem: 'must be a size like 64k or 5m' });
}
