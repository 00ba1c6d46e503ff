/** What tells by its name that a variable is not for everybody's eyes. */
const SECRET_NAME = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|AUTH/i;
/** Shorter values occur everywhere by chance. */
const MIN_LENGTH = 4;
const MASK = '***';

/** Variables whose values must not be stored or shown. */
export class Secrets {
  private readonly values: { name: string; value: string }[];

  constructor(env: Readonly<Record<string, string>>) {
    this.values = Object.entries(env)
      .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= MIN_LENGTH)
      .map(([name, value]) => ({ name, value }))
      // One secret may contain another.
      .sort((a, b) => b.value.length - a.value.length);
  }

  /** The values themselves, longest first. */
  get texts(): string[] {
    return this.values.map(({ value }) => value);
  }

  /** The environment as it may be stored: a secret is masked however short it is. */
  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(env);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, SECRET_NAME.test(name) ? MASK : this.text(value)]),
    );
  }

  text(text: string): string {
    return this.values.reduce((masked, { value }) => masked.replaceAll(value, MASK), text);
  }

  /** Plain data with every secret masked, in keys too. */
  data(value: unknown): unknown {
    if (this.values.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.data(each));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, each]) => [this.text(key), this.data(each)]));
  }

  /** Name of a variable whose value is in the data; undefined if there is none. */
  foundIn(value: unknown): string | undefined {
    const text = JSON.stringify(value) ?? '';
    return this.values.find((secret) => text.includes(JSON.stringify(secret.value).slice(1, -1)))?.name;
  }
}
