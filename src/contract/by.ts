/** A request and who makes it. Over HTTP, a token or a header names the actor, never the body. */
export type By<T> = T & { actor: string };

/** Whose list it is. A server sets it for callers who may not see everything; nothing that a client sends does. */
export interface Reader {
  name: string;
  groups: readonly string[];
}

/** A query of a list; without a reader it has everything. */
export type ReadBy<T> = T & { reader?: Reader };
