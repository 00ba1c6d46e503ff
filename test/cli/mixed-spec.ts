/** A workflow in which one job recovers, one fails for good and one is canceled because of it. */
export const MIXED = {
  name: 'mixed',
  jobs: [
    { name: 'fine', command: 'echo "it works"; echo "a note" >&2' },
    {
      name: 'flaky',
      command: 'echo "attempt $HOLDFAST_ATTEMPT_ID"; [ "$HOLDFAST_ATTEMPT_ID" -ge 2 ]',
      retry: { max_retries_failure: 2, initial_retry_delay_ms: 10 },
    },
    { name: 'broken', command: 'printf "one\\ntwo\\nthe reason\\n" >&2; exit 7' },
    { name: 'after_broken', command: 'true', depends_on: ['broken'] },
  ],
};
