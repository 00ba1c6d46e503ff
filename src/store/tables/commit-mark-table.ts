/** For PostgreSQL alone: by these rows a transaction whose commit was not answered is known to be made or not. */
export const COMMIT_MARK_TABLE = `create table commit_mark (
  id text primary key,
  count bigint not null,
  touched_at bigint not null
)`;
