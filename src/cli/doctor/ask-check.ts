import { HoldfastError } from '../../core/errors.ts';
import type { Check } from '../texts/lists/checks.ts';

export function okCheck(name: string, detail: string): Check {
  return { name, result: 'ok', detail, hint: null };
}

/** What a service answers; a refusal is a warning with the way out. */
export async function askCheck(name: string, hint: string, question: () => Promise<string>): Promise<Check> {
  try {
    return okCheck(name, await question());
  } catch (error) {
    if (!(error instanceof HoldfastError)) throw error;
    return { name, result: 'warn', detail: error.message, hint };
  }
}
