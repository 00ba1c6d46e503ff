import { type ComponentType, lazy } from 'react';
import { Notice } from '../parts/notice.tsx';

/** A part of a page that is loaded when it is first shown. */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>) {
  return lazy(async () => {
    try {
      return { default: await load() };
    } catch {
      return { default: NotLoaded as ComponentType<P> };
    }
  });
}

function NotLoaded() {
  return (
    <Notice kind="bad" title="This part of the page could not be loaded.">
      The server may have been updated. Reload the page.
    </Notice>
  );
}
