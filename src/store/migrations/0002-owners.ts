/** `agent:NAME` acts for the token NAME. */
const ownerIn = (column: string) =>
  `case when ${column} like 'agent:%' then substr(${column}, 7) else ${column} end`;

/**
 * Workflows and requests have an owner and may belong to groups. Those that are there belong to who created them. The
 * older column `owner` of workflows is what their specs say in `user`.
 */
export function owners(): string[] {
  return [
    ...['workflow', 'request'].flatMap((table) => [
      `alter table ${table} add column owned_by text not null default ''`,
      `alter table ${table} add column access_groups text not null default '[]'`,
    ]),
    `update workflow set owned_by = coalesce((select ${ownerIn('event.actor')} from event
       where event.workflow_id = workflow.id and event.type = 'workflow_created' order by event.id limit 1), '')`,
    `update request set owned_by = ${ownerIn('request.actor')}`,
  ];
}
