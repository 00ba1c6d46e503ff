import type { WriteStream } from 'node:tty';
import type { Engine, ServedEngine } from '../core/engine.ts';
import type { SettingOrigin } from './config/resolve-settings.ts';
import type { Settings } from './config/settings.ts';
import type { Renderer } from './output/renderer.ts';
import type { Paint } from './output/styled-line.ts';

/** What every command is given, besides its own arguments. */
export interface CommandContext {
  /** Absolute. */
  stateDir: string;
  settings: Settings;
  origins: SettingOrigin[];
  stdout: WriteStream;
  stderr: WriteStream;
  /** Turns records into what `--output` asks for. */
  render: Renderer;
  paint: Paint;
  errorPaint: Paint;
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
  openServedEngine(options?: { leaseMs?: number | undefined }): Promise<ServedEngine>;
}

export interface ServerAccess {
  url: string;
  token: string | null;
}

/** Arguments and options as written; a repeated or missing argument is undefined or an array. */
export interface Invocation {
  args: string[];
  options: Record<string, string | boolean | undefined>;
  /** Options that can be given several times, as far as they were. */
  lists: Record<string, string[]>;
}

/** Returns the exit code. */
export type Command = (context: CommandContext, invocation: Invocation) => Promise<number>;
