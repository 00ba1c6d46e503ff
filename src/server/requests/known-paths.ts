/** Which methods the paths of a server have. */
export class KnownPaths {
  readonly #known: { pattern: RegExp; methods: readonly string[] }[] = [];

  /** `url` with `:name` for parameters. */
  add(url: string, methods: readonly string[]): void {
    const pattern = url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]+' : part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')))
      .join('/');
    this.#known.push({ pattern: new RegExp(`^${pattern}$`), methods });
  }

  /** Empty for an unknown path. */
  methodsOf(path: string): string[] {
    const found = this.#known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods);
    return [...new Set(found)].sort();
  }
}
