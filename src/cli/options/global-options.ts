import type { CommandOption } from '../command-entry.ts';

/** Of every command. */
export const GLOBAL_OPTIONS: CommandOption[] = [
  ['--dir <dir>', 'state directory (default: HOLDFAST_DIR, or .holdfast)'],
  ['--server <url>', 'work on this server instead of here'],
  ['--token-file <file>', 'file with its token; also HOLDFAST_TOKEN'],
  ['--output <form>', 'table, json, quiet; csv for lists'],
  ['--no-color', 'no colours; also NO_COLOR'],
];
