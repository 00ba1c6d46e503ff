import { classAdString } from './submit-words.ts';

/** Sites that may run jobs of a DAG. */
export interface SiteChoice {
  /** Attribute of machines that names their site. */
  attribute: string;
  /** null: every site. */
  allowed: readonly string[] | null;
  banned: readonly string[];
}

export const SITES_FILE = 'sites.inc';
/** The macro that this file sets, and submit files join to their own requirements. */
export const SITES_MACRO = 'holdfast_sites';

/**
 * The text of `sites.inc`, which every submit file includes. It is written anew before each submission, so that a ban
 * takes effect in the next run while no submit file is changed.
 */
export function sitesText({ attribute, allowed, banned }: SiteChoice): string {
  const site = `TARGET.${attribute}`;
  const anyOf = allowed?.map((name) => `${site} =?= ${classAdString(name)}`) ?? [];
  const clauses = [
    ...(allowed === null ? [] : [anyOf.length === 0 ? '(false)' : `(${anyOf.join(' || ')})`]),
    ...banned.map((name) => `(${site} =!= ${classAdString(name)})`),
  ];
  return [
    '# Sites that may run jobs of this DAG. Written anew before each submission.',
    `${SITES_MACRO} = ${clauses.length === 0 ? 'true' : clauses.join(' && ')}`,
    '',
  ].join('\n');
}
