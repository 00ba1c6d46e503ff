import type { ComponentProps, MouseEvent } from 'react';
import { goTo } from './router.ts';

/** A link within the application. With a modifier key or another button, browsers do what they do with any link. */
export function Link({ to, onClick, ...rest }: ComponentProps<'a'> & { to: string }) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    goTo(to);
  };
  return <a {...rest} href={to} onClick={follow} />;
}
