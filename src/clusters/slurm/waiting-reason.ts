/**
 * Reasons of waiting that do not pass by themselves: the request is larger than what partition, account or quality of
 * service ever give, names what is not there, or is held until an administrator releases it. Limits over all jobs of a
 * user or account (AssocGrp…, …PerUser, …PerAccount), used-up budgets, missing nodes and closed partitions
 * pass, if only some day; and whoever holds his own job knows it.
 */
const NEVER = new Set([
  'AccountNotAllowed',
  'BadConstraints',
  'BurstBufferOperation',
  'DeadLine',
  'DependencyNeverSatisfied',
  'InvalidAccount',
  'InvalidQOS',
  'JobHeldAdmin',
  'JobHoldMaxRequeue',
  'PartitionConfig',
  'PartitionNodeLimit',
  'PartitionTimeLimit',
  'QOSNotAllowed',
  'ReservationDeleted',
]);
/** Limits of one job: AssocMaxWallDurationPerJobLimit, QOSMaxCpuPerNode, QOSMinGRES … */
const OF_ONE_JOB = /^(?:Assoc|QOS)Max\w*Per(?:Job|Node)(?:Limit)?$|^QOSMin/;
/** Requeued after its start failed, and held: `launch_failed_requeued_held`. */
const HELD = /requeued_held|requeued in held state/;

/** Whether an allocation that waits for this reason can never start. */
export function neverStarts(reason: string): boolean {
  return NEVER.has(reason) || OF_ONE_JOB.test(reason) || HELD.test(reason);
}
