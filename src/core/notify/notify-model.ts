import type { Edge } from './edges.ts';

/** A text that may be secret: as written, or where it is to be read when it is needed. */
export type SecretText = string | { env: string } | { file: string };

/** Where a message goes. */
export type NotifyTarget =
  | { kind: 'webhook'; url: SecretText }
  | { kind: 'slack'; url: SecretText }
  | { kind: 'mail'; to: string[] }
  | { kind: 'command'; command: string };

/** What a target is sent, with `{placeholders}`; null: the text that every target gets. */
export interface MessageTemplates {
  title: string | null;
  text: string | null;
}

/** One entry of `notify` in a spec. `named`: a target of the configuration. */
export interface NotifyEntry extends MessageTemplates {
  on: Edge[];
  target: NotifyTarget | { kind: 'named'; name: string };
}

/** A target of the configuration. */
export interface ConfiguredTarget extends MessageTemplates {
  name: string;
  on: Edge[];
  /** false: only for specs that name it. */
  everywhere: boolean;
  target: NotifyTarget;
}

/** How mail is sent. */
export interface SmtpSettings {
  host: string;
  port: number;
  tls: 'starttls' | 'tls' | 'none';
  user: string | null;
  password: SecretText | null;
  from: string;
}

/** Where spans are sent, and what is said of this program there. */
export interface TraceSettings {
  /** With its path. */
  endpoint: string;
  headers: Record<string, SecretText>;
  service_name: string;
  attributes: Record<string, string>;
}

/** What is known of a target of the configuration where edges are recorded: nothing that is secret. */
export interface Subscriber {
  name: string;
  on: Edge[];
}

/** Stands among the subscribers where spans are sent too: no target of the configuration has such a name. */
export const TRACES: Subscriber = { name: ':traces', on: [] };

export function hasTraces(subscribers: readonly Subscriber[]): boolean {
  return subscribers.some(({ name }) => name === TRACES.name);
}
