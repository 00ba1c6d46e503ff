import { useSyncExternalStore } from 'react';

/** A value outside of components, which those that use it follow. */
export class SharedValue<T> {
  #value: T;
  readonly #listeners = new Set<() => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    for (const listener of [...this.#listeners]) listener();
  }

  readonly use = (): T => useSyncExternalStore(this.#subscribe, () => this.#value);

  readonly #subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
}
