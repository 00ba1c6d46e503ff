import { SharedValue } from './shared-value.ts';

const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const KEY = 'holdfast-theme';
const theme = new SharedValue<Theme>(read());

function read(): Theme {
  try {
    return THEMES.find((each) => each === localStorage.getItem(KEY)) ?? 'system';
  } catch {
    // A browser may refuse to store anything.
    return 'system';
  }
}

export const useTheme = theme.use;

export function applyTheme(): void {
  if (theme.value === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
}

export function nextTheme(): void {
  theme.set(THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length]!);
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // It is kept until the page is closed.
  }
  applyTheme();
}
