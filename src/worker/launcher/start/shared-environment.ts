import { type Arena, layOutArrays, sizeOfArrays, type Texts } from './string-arrays.ts';

/** Variables of this process that all programs share, laid out once for all of them. */
export class SharedEnvironment {
  readonly variables: NodeJS.ProcessEnv;
  readonly #addresses = new Map<string, bigint>();
  /** Holds the memory at the addresses. */
  readonly arena: Arena;

  constructor(variables: NodeJS.ProcessEnv, newArena: (size: number) => Arena) {
    this.variables = variables;
    const names = Object.keys(variables).filter((name) => variables[name] !== undefined);
    const arrays = [names.map((name) => `${name}=${variables[name]}`)];
    this.arena = newArena(sizeOfArrays(arrays));
    layOutArrays(this.arena, arrays);
    names.forEach((name, index) => {
      this.#addresses.set(name, this.arena.buffer.readBigUInt64LE(index * 8));
    });
  }

  /** The entries of a program that has variables of its own besides. */
  entriesWith(own: Record<string, string>): Texts {
    const entries: (string | bigint)[] = [];
    for (const [name, address] of this.#addresses) if (!Object.hasOwn(own, name)) entries.push(address);
    for (const name in own) entries.push(`${name}=${own[name]}`);
    return entries;
  }
}
