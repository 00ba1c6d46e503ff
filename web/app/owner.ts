import { visibleText } from '../../src/views/visible-text.ts';
import type { Fact } from '../parts/facts.tsx';
import { useSession } from './session.ts';

interface Owned {
  owner: string;
  access_groups: readonly string[];
}

/** Whether owners mean anything: where nobody needs a token, everybody may do everything. */
export function useHasOwners(): boolean {
  const session = useSession();
  return session.state === 'in' && session.auth === 'token';
}

/** Whose it is, for a line: `ada, group astro`. Empty: nobody is known. */
export function ownerText({ owner, access_groups: groups }: Owned): string {
  const names = groups.length === 0 ? '' : `${groups.length === 1 ? 'group' : 'groups'} ${groups.join(', ')}`;
  return [owner, names].filter((part) => part !== '').join(', ');
}

/** The same as facts with names. */
export function ownerFacts({ owner, access_groups: groups }: Owned): Fact[] {
  return [
    ...(owner === '' ? [] : ([['Owner', visibleText(owner)]] as Fact[])),
    ...(groups.length === 0 ? [] : ([['Groups', visibleText(groups.join(', '))]] as Fact[])),
  ];
}
