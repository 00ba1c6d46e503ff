/**
 * Runs of workflows that DAGMan runs. A row is written before anything is submitted, and carries the tag by which the
 * DAGMan is found in the queue after a crash: no run is submitted twice.
 */
export function dagTables(): string[] {
  return [
    `create table dag_run (
      workflow_id bigint not null,
      -- From 1, of all DAGs of the workflow. A run may need several: after a pause, or for a retry by a person.
      number bigint not null,
      run_id bigint not null,
      tag text not null unique,
      -- The DAG directory: the same for all DAGs of a round, another one for each of another workflow.
      directory text not null,
      -- The transitions are in core/dag/dag-run.ts.
      state text not null check (state in ('planned', 'submitting', 'submitted', 'ended')),
      -- What the queue calls it.
      cluster_id text,
      -- Why it was not submitted, or what was seen when the queue was last asked; null: all is well.
      problem text,
      refusals bigint not null default 0,
      next_try_at bigint,
      -- How often DAGMan died without a word.
      crashes bigint not null default 0,
      -- Attempts of the workflow after this one are those of this DAG; 0: all of them.
      after_attempt bigint not null,
      removed_at bigint,
      -- Since when DAGMan starts nothing new, because the workflow is paused.
      halted_at bigint,
      -- The process that looks after it, and until when others leave that to it.
      server text,
      lease_expires_at bigint not null default 0,
      created_at bigint not null,
      submitting_at bigint,
      submitted_at bigint,
      ended_at bigint,
      ending text,
      primary key (workflow_id, number),
      foreign key (workflow_id, run_id) references run (workflow_id, run_id),
      check (state <> 'submitting' or submitting_at is not null),
      check (state <> 'submitted' or cluster_id is not null),
      check ((state = 'ended') = (ended_at is not null)),
      check ((state = 'ended') = (ending is not null))
    )`,
    `create index dag_run_open on dag_run (workflow_id) where state <> 'ended'`,
  ];
}
