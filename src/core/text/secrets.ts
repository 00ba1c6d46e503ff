import { formsOf, isSecretName, secretsWithin } from './secret-forms.ts';

const MASK = '***';

type Environment = Readonly<Record<string, string | undefined>>;

interface SecretForm {
  /** Of the variable that has the secret. */
  name: string;
  form: string;
}

/** Variables whose values must not be stored or shown. */
export class Secrets {
  readonly #forms: SecretForm[];

  constructor(environments: Iterable<Environment>) {
    const forms = new Map<string, SecretForm>();
    for (const environment of environments) {
      for (const [name, value] of Object.entries(environment)) {
        for (const form of secretsOf(name, value ?? '').flatMap(formsOf)) {
          if (!forms.has(form)) forms.set(form, { name, form });
        }
      }
    }
    // One secret may contain another.
    this.#forms = [...forms.values()].sort((a, b) => b.form.length - a.form.length);
  }

  /** Everything that is masked, longest first. */
  get texts(): string[] {
    return this.#forms.map(({ form }) => form);
  }

  /** The environment as it may be stored: a secret is masked however short it is. */
  environment(env: Readonly<Record<string, string>>): Record<string, string> {
    const entries = Object.entries(env);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, secretsOf(name, value).length > 0 ? MASK : this.text(value)]),
    );
  }

  text(text: string): string {
    let masked = text;
    for (const { form } of this.#forms) if (masked.includes(form)) masked = masked.replaceAll(form, MASK);
    return masked;
  }

  /** Plain data with every secret masked, in keys too. */
  data(value: unknown): unknown {
    if (this.#forms.length === 0) return value;
    if (typeof value === 'string') return this.text(value);
    if (Array.isArray(value)) return value.map((each) => this.data(each));
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    return Object.fromEntries(entries.map(([key, each]) => [this.text(key), this.data(each)]));
  }

  /** Name of a variable whose value is in the data; undefined if there is none. */
  foundIn(value: unknown): string | undefined {
    const text = JSON.stringify(value) ?? '';
    return this.#forms.find(({ form }) => text.includes(form))?.name;
  }
}

/** What of a variable is secret: all of it by its name, or by its value, as an address with a password is. */
function secretsOf(name: string, value: string): string[] {
  if (value === '') return [];
  return isSecretName(name) ? [value, ...secretsWithin(value)] : secretsWithin(value);
}
