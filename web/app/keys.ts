import { useEffect, useRef } from 'react';

/** What each key does on a page, by its name as browsers write it. */
export type KeyActions = Record<string, (() => void) | undefined>;

/** Keys for as long as the component is shown. They are left to fields that are typed in, and to open dialogs. */
export function useKeys(actions: KeyActions): void {
  const newest = useRef(actions);
  newest.current = actions;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector('dialog[open]') !== null) return;
      const action = newest.current[event.key];
      if (action === undefined) return;
      event.preventDefault();
      action();
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input, textarea, select, [contenteditable]');
}
