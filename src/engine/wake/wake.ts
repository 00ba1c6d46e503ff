/** Announces commits to everyone who shares a database. */
export interface Wake {
  /** Calls back after commits, here or elsewhere, and now and then without any. Returns the way to stop. */
  listen(listener: () => void): () => void;
  /** Something was committed here. */
  poke(): void;
  close(): Promise<void>;
}
