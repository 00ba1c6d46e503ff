import type { OperationId, OperationMethods } from './endpoints.ts';

type Call = (id: OperationId, given: readonly unknown[]) => Promise<unknown>;

/** The methods of the engine that are operations, each carried out by the same function. */
export const WithOperations = class {
  constructor(ids: readonly OperationId[], call: Call) {
    for (const id of ids) Object.assign(this, { [id]: (...given: unknown[]) => call(id, given) });
  }
} as unknown as new (
  ids: readonly OperationId[],
  call: Call,
) => OperationMethods;
