/** Whose notifications a process sends: those of all shared work of a server, or of what it drives itself. */
export type Sender = 'shared' | { workflow_id: number } | { request: string };

/** A notification that was not sent. */
export interface UnsentNotification {
  id: number;
  event: string;
  /** Where it goes, without secrets. */
  target: string;
  tries: number;
  /** How the last try failed; null: none has failed. */
  problem: string | null;
}
