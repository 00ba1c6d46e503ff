import { writeFileSync } from 'node:fs';
import { HoldfastError } from '../../../core/errors.ts';
import type { Command } from '../../command-context.ts';
import { STARTER_SPEC } from '../../starter-spec.ts';
import { writtenFileView } from '../../texts/spec/written-file-text.ts';

const DEFAULT_FILE = 'workflow.yaml';

export const initCommand: Command = async (context, { args }) => {
  const file = args[0] ?? DEFAULT_FILE;
  try {
    writeFileSync(file, STARTER_SPEC, { flag: 'wx' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem = code === 'EEXIST' ? 'exists already and is left as it is; name another file' : message;
    throw new HoldfastError('INVALID_ARGUMENT', { argument: file, problem }, error);
  }
  context.show(writtenFileView, { file });
  context.narrate(`next: ${context.command('run', file)}`);
  return 0;
};
