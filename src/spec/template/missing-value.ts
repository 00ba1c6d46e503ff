import type * as Liquidjs from 'liquidjs';
import { liquidjs } from './liquid-engine.ts';

let missing: Liquidjs.Drop | undefined;

/**
 * Stands for a value that does not exist when a template is rendered, such as the output of the branch that was not
 * taken: empty as text, false in a condition, an empty list in a loop; and so is everything below it.
 */
export function missingValue(): Liquidjs.Drop {
  if (missing === undefined) {
    const { Drop } = liquidjs();
    class MissingValue extends Drop {
      override liquidMethodMissing(): unknown {
        return this;
      }

      override valueOf(): null {
        return null;
      }

      override toString(): string {
        return '';
      }

      toJSON(): null {
        return null;
      }
    }
    missing = new MissingValue();
  }
  return missing;
}
