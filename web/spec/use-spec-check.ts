import { useEffect, useState } from 'react';
import type { SpecCheck } from '../../src/contract/records/overview.ts';
import { checkSpec } from '../api/submissions.ts';
import { noteError } from '../app/session.ts';

/** A spec as it is edited; the name gives its notation. */
export interface EditedSpec {
  text: string;
  fileName: string;
}

export type CheckState =
  | { state: 'empty' }
  | { state: 'checking' }
  | { state: 'checked'; check: SpecCheck }
  /** The server did not check it: it is too large, say, or cannot be reached. */
  | { state: 'refused'; error: unknown };

/** Long enough to type the next character. */
const PAUSE_MS = 400;

/** What the server finds in a spec, a moment after each change of it. */
export function useSpecCheck({ text, fileName }: EditedSpec): CheckState {
  const [found, setFound] = useState<CheckState>({ state: 'empty' });
  useEffect(() => {
    if (text.trim() === '') {
      setFound({ state: 'empty' });
      return;
    }
    setFound({ state: 'checking' });
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        const check = await checkSpec({ spec: text, file_name: fileName });
        if (isWanted) setFound({ state: 'checked', check });
      } catch (error) {
        noteError(error);
        if (isWanted) setFound({ state: 'refused', error });
      }
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [text, fileName]);
  return found;
}
