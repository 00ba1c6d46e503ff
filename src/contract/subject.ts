/** What a request is about: a workflow or what belongs to one, a request, or the jobs that a worker holds. */
export type Subject =
  | { kind: 'workflow' | 'job' | 'handler' | 'allocation' | 'worker'; id: number }
  /** `name` is its newest version, `name@2` version 2. */
  | { kind: 'request'; name: string };
