import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';

const SITE = /^[\w.@:/=-]{1,100}$/;

/** The site of this machine, as `--site` gave it; null: none was given. */
export function siteOption({ options }: Pick<Invocation, 'options'>): string | null {
  const { site } = options;
  if (site === undefined) return null;
  if (SITE.test(String(site))) return String(site);
  throw invalid('must be at most 100 letters, digits and . _ @ : / = -');
}

/** Where no worker is started here, it would have no effect. */
export function refuseSite({ options }: Pick<Invocation, 'options'>, problem: string): void {
  if (options.site !== undefined) throw invalid(problem);
}

function invalid(problem: string): HoldfastError {
  return new HoldfastError('INVALID_ARGUMENT', { argument: '--site', problem });
}
