/**
 * The variable that marks every process of an attempt, so that it is found again after it left the
 * attempt's process group and session. Its value names the attempt after everything inherited: a Holdfast
 * that runs as a job of another one stays within the family of that job.
 */
export const MARKER_NAME = 'HOLDFAST_LAUNCHER';

/** What the markers of all attempts of one worker begin with. */
export function markerPrefix(workerKey: string, inherited: string | undefined): string {
  return `${inherited ?? ''}${workerKey}.`;
}

export function attemptMarker(prefix: string, token: number): string {
  return `${prefix}${token};`;
}

/** The token of the attempt that an environment belongs to; null if it is none with this prefix. */
export function markedToken(environment: string, prefix: string): number | null {
  const wanted = `${MARKER_NAME}=${prefix}`;
  const at = environment.indexOf(wanted);
  if (at < 0) return null;
  const token = Number.parseInt(environment.slice(at + wanted.length, at + wanted.length + 20), 10);
  return Number.isNaN(token) ? null : token;
}
