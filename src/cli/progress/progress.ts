/** Shows the progress of a run, until it is stopped. */
export interface Progress {
  /** Something that must be seen now: `stopping 3 running jobs`. */
  note(text: string): void;
  /** Shows the last state and leaves the terminal as it was. Safe to call twice. */
  stop(): Promise<void>;
}
