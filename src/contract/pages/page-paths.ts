/** The pages of the web application, with `{name}` for parameters. The server answers each of them with the same file. */
export const PAGE_PATHS = {
  home: '/',
  workflow: '/workflows/{workflow_id}',
  new: '/new',
  triage: '/workflows/{workflow_id}/triage',
  job: '/workflows/{workflow_id}/jobs/{job_id}',
  requests: '/requests',
  request: '/requests/{request_name}',
  sites: '/sites',
  workers: '/workers',
} as const;

export type PageName = keyof typeof PAGE_PATHS;
