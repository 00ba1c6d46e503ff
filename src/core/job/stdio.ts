export const STDIO_MODES = ['separate', 'combined', 'no_stdout', 'no_stderr', 'none'] as const;

/** Which files an attempt's stdout and stderr go to; `no_…` and `none` discard. */
export type StdioMode = (typeof STDIO_MODES)[number];

export interface StdioConfig {
  mode: StdioMode;
  /** The files of an attempt are removed once it has succeeded. */
  delete_on_success: boolean;
}

export const DEFAULT_STDIO: StdioConfig = { mode: 'separate', delete_on_success: false };

/** Where discarded output goes. */
export const DISCARDED = '/dev/null';
