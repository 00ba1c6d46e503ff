import type { Engine } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { CommandContext, Invocation } from '../command-context.ts';
import { wholeNumberOption } from '../options/whole-number-option.ts';
import { reportAtEnd } from '../report/report-at-end.ts';

/** What is done before and after a workflow is run, or is found to have ended. Returns the exit code of `run`. */
export type AroundRun = (engine: Engine, workflowId: number, run: () => Promise<number>) => Promise<number>;

const LAST_PORT = 65_535;

/** Pages beside the run (`--ui`) and a report at its end (`--report`), as far as they are asked for. */
export function aroundRun(context: CommandContext, { options }: Pick<Invocation, 'options'>): AroundRun {
  const report = reportAtEnd(context, { options });
  const port = pagesPort(context, { options });
  return async (engine, workflowId, run) => {
    if (port === null) {
      const code = await run();
      await report(engine, workflowId);
      return code;
    }
    const { RunPages } = await import('./run-pages.ts');
    const pages = await RunPages.start(context, workflowId, port);
    try {
      const code = await run();
      await report(engine, workflowId);
      await pages.untilLeft(code);
      return code;
    } finally {
      await pages.stop();
    }
  };
}

/** null: no pages. 0: any port that is free. */
function pagesPort({ server }: CommandContext, { options }: Pick<Invocation, 'options'>): number | null {
  const port = wholeNumberOption('--ui-port', options.uiPort, 1);
  if (options.ui !== true) {
    if (port !== undefined) throw invalid('--ui-port', 'only with --ui');
    return null;
  }
  if (options.dryRun === true) throw invalid('--ui', 'not with --dry-run, which runs nothing');
  if (server !== null) throw invalid('--ui', `the server has pages already, at ${server.url}`);
  if (port !== undefined && port > LAST_PORT) throw invalid('--ui-port', `must be at most ${LAST_PORT}`);
  return port ?? 0;
}

function invalid(argument: string, problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument, problem });
}
