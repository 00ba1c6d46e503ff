/** One transition of a state machine. docs/statuses.md draws each list of these; a test keeps the two equal. */
export interface StateTransition<S extends string> {
  /** null: the thing is created. */
  from: S | null;
  to: S;
  /** The cause, in the words of the diagram. */
  when: string;
}

/** The states from which a thing moves to this one. */
export function statesBefore<S extends string>(transitions: readonly StateTransition<S>[], to: S): S[] {
  return transitions.flatMap((each) => (each.to === to && each.from !== null ? [each.from] : []));
}

/** A transition that is not in the list is a bug. */
export function assertListed<S extends string>(
  thing: string,
  transitions: readonly StateTransition<S>[],
  from: S,
  to: S,
): void {
  if (!statesBefore(transitions, to).includes(from))
    throw new Error(`no ${thing} moves from ${from} to ${to}`);
}
