import type { View } from '../../src/cli/terminal/view.ts';

/** A view with a thing to print. */
export const sample = <T>(view: View<T>, thing: T): [View<T>, T] => [view, thing];
