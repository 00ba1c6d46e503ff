import { type Edge, listensTo } from './edges.ts';
import type { NotifyEntry, Subscriber } from './notify-model.ts';

/**
 * Who is notified of an edge: entries of the spec, and targets of the configuration. What the spec says of a target of
 * the configuration replaces what the configuration says of it.
 */
export function chooseTargets(
  edge: Edge,
  entries: readonly NotifyEntry[],
  subscribers: readonly Subscriber[],
): Omit<NotifyEntry, 'on'>[] {
  const named = new Set(entries.flatMap(({ target }) => (target.kind === 'named' ? target.name : [])));
  const others = subscribers
    .filter(({ name }) => !named.has(name))
    .map(({ name, on }): NotifyEntry => ({ on, target: { kind: 'named', name }, title: null, text: null }));
  return [...entries, ...others].filter(({ on }) => listensTo(on, edge)).map(({ on: _, ...entry }) => entry);
}
