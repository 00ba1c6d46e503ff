import { resolve } from 'node:path';
import { HoldfastError } from '../../../core/errors.ts';
import { parseSize } from '../../../core/text/quantity.ts';
import type { Command } from '../../command-context.ts';
import { refuseServer } from '../../config/refuse-server.ts';
import { userName } from '../../options/user-name.ts';
import { importedView } from '../../texts/files/transfer-text.ts';
import { readCompressedLines, refuseUnreadable } from '../../transfer/export-file.ts';
import { BOTH_WAYS } from './export.ts';

const MOST_BYTES = '8g';

export const importCommand: Command = async (context, { args, options }) => {
  refuseServer(context, `an import ${BOTH_WAYS}`);
  const file = args[0]!;
  const most = parseSize(typeof options.maxSize === 'string' ? options.maxSize : MOST_BYTES);
  if (!most) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--max-size',
      problem: 'must be a size like 500m or 20g',
    });
  }
  // Before a state directory is made for it.
  refuseUnreadable(file);
  const shared = options.shared === true;
  const cwd = typeof options.cwd === 'string' ? options.cwd : '.';
  const { output_dir } = context.settings;
  const engine = await context.openServedEngine({ create: true });
  const workflow = await engine.importWorkflow(() => readCompressedLines(file, most), {
    // Workers of a server have directories of their own.
    cwd: shared ? cwd : resolve(cwd),
    output_dir: shared ? output_dir : resolve(output_dir),
    actor: userName(),
    shared,
  });
  context.show(importedView, { status: await engine.status(workflow.id), file });
  return 0;
};
