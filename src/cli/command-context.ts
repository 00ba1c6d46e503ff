import type { WriteStream } from 'node:tty';
import type { ServerAddress } from '../client/transport/server-address.ts';
import type { Engine, ServedEngine } from '../contract/engine.ts';
import type { SendingPlace } from '../notify/send-notification.ts';
import type { SettingOrigin } from './config/resolve-settings.ts';
import type { Settings } from './config/settings.ts';
import type { Paint } from './terminal/styled-line.ts';
import type { View } from './terminal/view.ts';

/** What every command is given, besides its own arguments. */
export interface CommandContext {
  /** Absolute. */
  stateDir: string;
  settings: Settings;
  origins: SettingOrigin[];
  /** Variables with secrets that jobs can still read from the memory of this process. */
  exposedVariables: readonly string[];
  /** How notifications are sent from here. */
  sendingPlace: SendingPlace;
  stdout: WriteStream;
  stderr: WriteStream;
  paint: Paint;
  errorPaint: Paint;
  /** Data: prints a thing to stdout as `--output` asks for it. */
  show<T>(view: View<T>, thing: T): void;
  /** Data: one text to stdout, ended with a newline; '' prints nothing. */
  print(text: string): void;
  /** Narration: one line to stderr. */
  narrate(line: string): void;
  /** A holdfast command to type next, with the state directory or server that was named. */
  command(...words: (string | number)[]): string;
  /** The server that does the work; null: it is done here. */
  server: ServerAccess | null;
  /** The engine of the server if there is one, else of the database, else of the state directory; closed when the command has ended. */
  openEngine(options?: { create: boolean }): Promise<Engine>;
  /** As `openEngine`, whatever server was named: for who is one. */
  openServedEngine(options?: { create: boolean; mayUpgrade?: boolean }): Promise<ServedEngine>;
}

export type ServerAccess = ServerAddress;

/** Arguments and options as written; a repeated or missing argument is undefined or an array. */
export interface Invocation {
  args: string[];
  options: Record<string, string | boolean | undefined>;
  /** Options that can be given several times, as far as they were. */
  lists: Record<string, string[]>;
}

/** Returns the exit code. */
export type Command = (context: CommandContext, invocation: Invocation) => Promise<number>;
