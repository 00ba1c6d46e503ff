import type { Engine } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { reportFile } from './report-file.ts';

/** What `--report` has a run do at its end; without it nothing. What cannot be written later is refused now. */
export function reportAtEnd(
  context: CommandContext,
  { options }: Pick<Invocation, 'options'>,
): (engine: Engine, workflowId: number) => Promise<void> {
  if (options.report === undefined) return async () => {};
  if (options.dryRun === true) {
    throw new HoldfastError('INVALID_ARGUMENT', {
      argument: '--report',
      problem: 'not with --dry-run, which runs nothing',
    });
  }
  const file = reportFile('--report', options.report)!;
  return async (engine, workflowId) => {
    const { writeReport } = await import('./write-report.ts');
    try {
      await writeReport(context, engine, workflowId, file);
      if (context.settings.output !== 'quiet') context.narrate(`report: ${file}`);
    } catch (error) {
      // How the run ended matters more, and is what the exit code says.
      context.narrate(`the report was not written: ${(error as Error).message}`);
    }
  };
}
