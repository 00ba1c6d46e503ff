import type { ReadStream, WriteStream } from 'node:tty';
import type { Engine } from '../../contract/engine.ts';
import type { Paint } from '../terminal/styled-line.ts';
import { carryOut } from './carry-out.ts';
import { loadDetail, loadList } from './load-screen.ts';
import { lookedFor, receiveEnd, receiveLines, receiveList, receivePlan, receiveProblem } from './receive.ts';
import { render } from './render.ts';
import { FullScreen } from './terminal.ts';
import { type Effect, type Start, startState, type TopState } from './top-state.ts';
import { type ActionContext, tryAction } from './try-action.ts';
import { update } from './update.ts';

/** Looks at the engine after a change, but no more often than this; and without one after TICK_MS. */
const MIN_LOOK_MS = 500;
const TICK_MS = 2000;
const CLOCK_MS = 1000;

/** Shows state and carries out what keys ask for, until it is left. */
export class Top {
  readonly #engine: Engine;
  readonly #context: ActionContext;
  readonly #screen: FullScreen;
  #state: TopState;
  #left: () => void = () => {};
  /** One look at a time. */
  #isLooking = false;
  #isWanted = false;
  #lookedAt = 0;
  #later: NodeJS.Timeout | null = null;

  constructor(
    engine: Engine,
    terminal: { input: ReadStream; output: WriteStream; paint: Paint },
    context: ActionContext,
    start: Start,
  ) {
    this.#engine = engine;
    this.#context = context;
    this.#state = startState(start);
    this.#screen = new FullScreen(
      terminal,
      (key) => this.#press(key),
      () => this.#draw(),
    );
  }

  /** Until a key or `signal` ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.#left = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    this.#screen.open();
    const stopHearing = this.#engine.onChange(() => this.#lookSoon());
    const tick = setInterval(() => this.#lookSoon(), TICK_MS);
    const clock = setInterval(() => this.#draw(), CLOCK_MS);
    process.on('SIGCONT', this.#resume);
    try {
      this.#draw();
      this.#lookSoon();
      await ended;
    } finally {
      process.off('SIGCONT', this.#resume);
      clearInterval(tick);
      clearInterval(clock);
      if (this.#later !== null) clearTimeout(this.#later);
      stopHearing();
      this.#screen.close();
    }
  }

  #draw(): void {
    this.#screen.draw(render(this.#state, this.#screen.size, Date.now()));
  }

  #show(state: TopState): void {
    this.#state = state;
    this.#draw();
  }

  #press(key: string): void {
    const { state, effects } = update(this.#state, key, this.#screen.size);
    this.#show(state);
    for (const effect of effects) this.#carryOut(effect);
  }

  #carryOut(effect: Effect): void {
    switch (effect.kind) {
      case 'load':
        this.#lookNow();
        return;
      case 'plan':
        void tryAction(this.#engine, effect.action, this.#context).then(
          (plan) => this.#show(receivePlan(this.#state, plan)),
          (error) => this.#show(receiveEnd(this.#state, problemText(error), true)),
        );
        return;
      case 'act':
        void carryOut(this.#engine, effect.plan, this.#context.style)
          .then(
            (done) => this.#show(receiveEnd(this.#state, done, false)),
            (error) => this.#show(receiveEnd(this.#state, problemText(error), true)),
          )
          .then(() => this.#lookNow());
        return;
      case 'redraw':
        this.#screen.forget();
        this.#draw();
        return;
      case 'suspend':
        this.#screen.close();
        process.kill(process.pid, 'SIGTSTP');
        return;
      case 'quit':
        this.#left();
    }
  }

  readonly #resume = (): void => {
    this.#screen.open();
    this.#draw();
  };

  #lookSoon(): void {
    if (this.#later !== null) return;
    const wait = Math.max(0, this.#lookedAt + MIN_LOOK_MS - Date.now());
    this.#later = setTimeout(() => {
      this.#later = null;
      this.#lookNow();
    }, wait);
  }

  #lookNow(): void {
    this.#isWanted = true;
    if (this.#isLooking) return;
    this.#isWanted = false;
    this.#isLooking = true;
    this.#lookedAt = Date.now();
    void this.#look().finally(() => {
      this.#isLooking = false;
      if (this.#isWanted) this.#lookNow();
    });
  }

  async #look(): Promise<void> {
    const from = lookedFor(this.#state);
    try {
      if (from.detail !== null) {
        const lines = await loadDetail(this.#engine, from.detail, this.#context.style);
        this.#show(receiveLines(this.#state, from, lines, Date.now()));
        return;
      }
      const list = this.#state.lists[from.view];
      const data = await loadList(this.#engine, from.view, list, from.workflow ?? 0);
      this.#show(receiveList(this.#state, from, data, this.#screen.size, Date.now()));
    } catch (error) {
      this.#show(receiveProblem(this.#state, from, problemText(error)));
    }
  }
}

/** An error in one line. */
function problemText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
