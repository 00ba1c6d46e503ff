import { commandFlow, type ScanCode, type WholeCommand } from './command-flow.ts';
import { fileSource } from './command-word.ts';
import { type DataFlow, VALUE } from './data-flow.ts';

/** A list of commands, at the top or inside of `if`, `while`, `{ … }` and the like. */
interface Level {
  /** The node of what its commands read. */
  stdin: string;
  /** The node of what they write. */
  output: string;
}

export type CommandParts = Omit<WholeCommand, 'input'> & {
  /** Sources of here strings and redirections. */
  redirected: readonly string[];
};

/** Who reads what is written, among the commands of one shell context. */
export class Pipelines {
  readonly #flow: DataFlow;
  readonly #scan: ScanCode;
  readonly #levels: Level[];
  /** The compound command or subshell that has just ended. */
  #closed: Level | undefined;
  /** What the next command reads, if not the input of all. */
  #pipe: readonly string[] | undefined;

  constructor(flow: DataFlow, scan: ScanCode, stdin: string) {
    this.#flow = flow;
    this.#scan = scan;
    this.#levels = [{ stdin, output: flow.newNode() }];
  }

  get output(): string {
    return this.#levels[0]!.output;
  }

  /** What the current command reads, as one source. */
  inputNode(): string {
    const node = this.#flow.newNode();
    this.#flow.add(this.#input, node);
    return node;
  }

  /** The next command may read every value: it is a coprocess, or the body of a function. */
  feedAll(): void {
    this.#pipe = [VALUE];
  }

  open(): void {
    const stdin = this.inputNode();
    this.#pipe = undefined;
    this.#levels.push({ stdin, output: this.#flow.newNode() });
  }

  close(): void {
    if (this.#levels.length > 1) this.#closed = this.#levels.pop();
  }

  subshell(stdin: string, output: string): void {
    this.#closed = { stdin, output };
  }

  /** `isPiped`: the output is the input of the next command. */
  end(command: CommandParts, isPiped: boolean): void {
    const { redirected, targets, ...whole } = command;
    let output: string;
    if (this.#closed !== undefined) {
      this.#flow.add(redirected, this.#closed.stdin);
      output = this.#closed.output;
      commandFlow({ ...whole, targets, program: undefined, input: [] }, this.#flow, this.#scan);
      for (const target of targets) this.#flow.add([output], fileSource(target));
    } else {
      if (whole.program === undefined) this.#flow.add(redirected, this.#level.stdin);
      output = commandFlow(
        { ...whole, targets, input: [...this.#input, ...redirected] },
        this.#flow,
        this.#scan,
      );
    }
    this.#closed = undefined;
    this.#pipe = isPiped ? [output] : undefined;
    if (!isPiped) this.#flow.add([output], this.#level.output);
  }

  /** Whether a compound command or subshell has just ended. */
  get hasClosed(): boolean {
    return this.#closed !== undefined;
  }

  get #level(): Level {
    return this.#levels.at(-1)!;
  }

  get #input(): readonly string[] {
    return this.#pipe ?? [this.#level.stdin];
  }
}
