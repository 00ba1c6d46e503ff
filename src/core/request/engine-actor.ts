/** The actor of changes that no person asked for. */
export const ENGINE_ACTOR = 'holdfast';
