/** A request and who makes it. Over HTTP, a token or a header names the actor, never the body. */
export type By<T> = T & { actor: string };
