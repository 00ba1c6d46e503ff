import { HoldfastError } from '../../core/errors.ts';
import { readVersion } from '../../mcp/read-version.ts';
import { type ServedPages, startPages } from '../../server/start-pages.ts';
import { webRoutes } from '../../server/web/web-routes.ts';
import type { CommandContext } from '../command-context.ts';
import { onInterrupt } from '../interrupts.ts';

const INTERRUPTED = 130;

/** The pages of the state here, while a workflow runs in this process. */
export class RunPages {
  readonly #context: CommandContext;
  readonly #pages: ServedPages;
  readonly #address: string;

  private constructor(context: CommandContext, pages: ServedPages, workflowId: number) {
    this.#context = context;
    this.#pages = pages;
    this.#address = `${pages.url}/workflows/${workflowId}`;
  }

  /** Serves them, and prints where. */
  static async start(context: CommandContext, workflowId: number, port: number): Promise<RunPages> {
    const engine = await context.openServedEngine({ create: false });
    const { submission_limits: submissionLimits } = context.settings;
    const options = { version: readVersion(), routes: [webRoutes()], submissionLimits, port };
    const pages = await startPages(engine, options).catch((error: NodeJS.ErrnoException) => {
      throw cannotListen(error, port) ?? error;
    });
    const started = new RunPages(context, pages, workflowId);
    context.narrate(`pages: ${started.#address}`);
    return started;
  }

  /** People at a terminal look at how a run ended; a program that started it waits for its end. */
  async untilLeft(code: number): Promise<void> {
    if (!this.#context.stderr.isTTY || code === INTERRUPTED) return;
    this.#context.narrate(`the run has ended; ${this.#address} is there until Ctrl-C`);
    await new Promise<void>((resolve) => {
      // Pages that nobody has open keep no process alive; a person who may open them does.
      const alive = setInterval(() => {}, 60_000);
      const stopListening = onInterrupt(() => {
        clearInterval(alive);
        stopListening();
        resolve();
      });
    });
  }

  stop(): Promise<void> {
    return this.#pages.stop();
  }
}

/** undefined if it is something else that is wrong. */
function cannotListen({ code }: NodeJS.ErrnoException, port: number): HoldfastError | undefined {
  const problem =
    code === 'EADDRINUSE'
      ? `${port} is in use already; without the option a free one is taken`
      : code === 'EACCES'
        ? `this user may not listen on ${port}`
        : null;
  return problem === null
    ? undefined
    : new HoldfastError('INVALID_ARGUMENT', { argument: '--ui-port', problem });
}
