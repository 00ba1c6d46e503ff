import { type AutoSchedulePolicy, DEFAULT_AUTO_SCHEDULE } from '../../core/allocation/auto-schedule.ts';
import { HoldfastError } from '../../core/errors.ts';
import type { Invocation } from '../command-context.ts';
import type { CommandOption } from '../command-entry.ts';
import { durationOption } from '../options/duration-option.ts';
import { wholeNumberOption } from '../options/whole-number-option.ts';

export const AUTO_SCHEDULE_OPTIONS: CommandOption[] = [
  ['--auto-schedule', 'order Slurm allocations for jobs that are ready and have none'],
  [
    '--auto-schedule-threshold <n>',
    'retried jobs that must be ready for one more allocation beside those that are there (default: 5)',
  ],
  ['--auto-schedule-cooldown <duration>', 'time between two such orders (default: 30m)'],
  [
    '--auto-schedule-stranded-timeout <duration>',
    'fewer retried jobs get an allocation after this time (default: 2h; 0: never)',
  ],
];

const DETAILS = {
  autoScheduleThreshold: '--auto-schedule-threshold',
  autoScheduleCooldown: '--auto-schedule-cooldown',
  autoScheduleStrandedTimeout: '--auto-schedule-stranded-timeout',
} as const;

/** null: it was not asked for. */
export function autoScheduleFlags(options: Invocation['options']): AutoSchedulePolicy | null {
  if (options.autoSchedule !== true) {
    for (const [key, flag] of Object.entries(DETAILS)) {
      if (options[key] === undefined) continue;
      throw new HoldfastError('INVALID_ARGUMENT', { argument: flag, problem: 'only with --auto-schedule' });
    }
    return null;
  }
  const { autoScheduleThreshold, autoScheduleCooldown, autoScheduleStrandedTimeout } = options;
  const stranded = durationOption(DETAILS.autoScheduleStrandedTimeout, autoScheduleStrandedTimeout, 0);
  return {
    threshold:
      wholeNumberOption(DETAILS.autoScheduleThreshold, autoScheduleThreshold) ??
      DEFAULT_AUTO_SCHEDULE.threshold,
    cooldown_ms:
      durationOption(DETAILS.autoScheduleCooldown, autoScheduleCooldown, 0) ??
      DEFAULT_AUTO_SCHEDULE.cooldown_ms,
    stranded_ms:
      stranded === undefined ? DEFAULT_AUTO_SCHEDULE.stranded_ms : stranded === 0 ? null : stranded,
  };
}
