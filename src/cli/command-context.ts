import type { WriteStream } from 'node:tty';
import type { Engine } from '../core/engine.ts';
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
  /** A holdfast command to type next, with the state directory if it is not the usual one. */
  command(...words: (string | number)[]): string;
  /** The engine of the state directory; closed when the command has ended. */
  openEngine(options?: { create: boolean }): Promise<Engine>;
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
