/**
 * An array whose items are made whenever they are asked for, and not kept: the jobs of a large model take a gigabyte, and
 * whoever checks or stores them needs one at a time. It can be read like any other array, and not changed.
 */
export function madeList<T>(length: number, make: (index: number) => T): readonly T[] {
  const target: T[] = [];
  target.length = length;
  return new Proxy<T[]>(target, {
    get: (_, key) => {
      const index = indexOf(key, length);
      return index === null ? Reflect.get(target, key) : make(index);
    },
    has: (_, key) => indexOf(key, length) !== null || Reflect.has(target, key),
    ownKeys: () => [...Array.from({ length }, (_, index) => String(index)), 'length'],
    getOwnPropertyDescriptor: (_, key) => {
      const index = indexOf(key, length);
      if (index === null) return Reflect.getOwnPropertyDescriptor(target, key);
      return { value: make(index), writable: false, enumerable: true, configurable: true };
    },
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  });
}

/** null: the key of something else, or of an item that there is not. */
function indexOf(key: string | symbol, length: number): number | null {
  if (typeof key === 'symbol') return null;
  const index = Number(key);
  return Number.isInteger(index) && index >= 0 && index < length && String(index) === key ? index : null;
}
