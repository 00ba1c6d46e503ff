/** Words that mean something else at the place of a name in a DAG file, and names of our own files. */
const RESERVED = new Set(
  (
    'ABORT-DAG-ON ALL_NODES CATEGORY CHILD CONFIG CONNECT DATA DEBUG DEFER DIR DONE DOT ENV EXTERNAL FINAL HOLD INCLUDE ' +
    'JOB JOBSTATE_LOG MAXJOBS NODE NODE_STATUS_FILE NOOP PARENT PIN_IN PIN_OUT POST PRE PRE_SKIP PRIORITY PROVISIONER ' +
    'REJECT RESCUE RETRY SAVE_POINT_FILE SCRIPT SERVICE SET_JOB_ATTR SPLICE SUBDAG SUBMIT-DESCRIPTION SUBMIT_DESCRIPTION ' +
    'UNLESS-EXIT VARS WORKFLOW ROUND RUN RULEBOOK SITES DAGMAN'
  ).split(' '),
);

/**
 * Names of jobs as names of nodes, each once. A name is kept where DAGMan and the file system take it as it is; dots would
 * make files of one node look like those of another. Other names become `n000012_` and what is left of them.
 */
export function nodeNames(jobs: readonly string[]): string[] {
  return jobs.map((name, index) =>
    isPlain(name)
      ? name
      : `n${String(index + 1).padStart(6, '0')}_${name.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60)}`,
  );
}

function isPlain(name: string): boolean {
  return (
    /^[A-Za-z][A-Za-z0-9_-]{0,99}$/.test(name) && !/^n\d{6}_/.test(name) && !RESERVED.has(name.toUpperCase())
  );
}
