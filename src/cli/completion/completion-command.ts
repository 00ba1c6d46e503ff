import { readFileSync } from 'node:fs';
import { HoldfastError } from '../../core/errors.ts';
import { completionScript } from '../../core/package-files.ts';
import { didYouMean } from '../../spec/suggest.ts';
import type { Command } from '../command-context.ts';

const SHELLS = ['bash', 'zsh', 'fish'];

export const completionCommand: Command = async (context, { args }) => {
  const shell = args[0]!;
  if (!SHELLS.includes(shell)) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: 'completion',
      problem: `there is a script for ${SHELLS.join(', ')}, not ${shell}${didYouMean(shell, SHELLS)}`,
    });
  }
  context.print(readFileSync(completionScript(shell), 'utf8').trimEnd());
  return 0;
};
