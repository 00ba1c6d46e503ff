import { z } from 'zod';
import { ATTRIBUTE_NAME, DEFAULT_SITE_ATTRIBUTE } from '../../core/dag/pool-settings.ts';
import { NAMED_SHELLS } from '../../core/job/shell.ts';
import { DEFAULT_ERROR_SETTINGS, WHEN_EXHAUSTED } from '../../core/request/error-settings.ts';
import { CLEANUP_POLICIES, EXECUTORS } from '../../core/request/request-model.ts';
import { notifySchema } from '../notify/notify-schema.ts';
import { postSchema } from './post-schema.ts';
import { inlineRequirementSchema } from './requirement-schema.ts';
import { retrySchema } from './retry-schema.ts';
import {
  accessGroups,
  commandText,
  count,
  duration,
  environment,
  nameText,
  positiveCount,
  timeLimit,
} from './scalars.ts';

const LONGEST_NAME = 100;

/** A name is a directory, a part of addresses (`name@2`) and an argument of commands. */
const requestName = z
  .string()
  .max(LONGEST_NAME)
  .refine((name) => /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) && !name.includes('..'), {
    error:
      'a name begins with a letter or digit and has only letters, digits, ".", "_" and "-", without ".." (it is a directory, too)',
  });

/** A number of 64 bits. Above 2^53 a notation without quotes has already lost digits when it was read. */
const longNumber = z
  .union([z.number(), z.string()], { error: 'expected a whole number' })
  .refine((value) => typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value), {
    error: 'is too large to be read exactly without quotes; put it in quotes: "9007199254740993"',
    abort: true,
  })
  .refine((value) => /^\d{1,40}$/.test(String(value)), { error: 'expected a whole number, such as 1000' })
  .meta({ title: 'whole number' });

const rangeSchema = z
  .strictObject({
    total: longNumber.describe('How many numbers are to be delivered.'),
    first: longNumber.optional().meta({ default: 1 }).describe('The first number.'),
    per_job: positiveCount.describe('Numbers of one processing job.'),
  })
  .meta({
    id: 'Range',
    description: 'Numbers that only move forward: those of failed units are not used again.',
  });

const workSchema = z
  .strictObject({
    range: rangeSchema.optional().describe('Numbers, for work without input.'),
    items: z
      .union([nameText, z.array(nameText).min(1)], {
        error: 'expected the path of a list, a pattern such as data/*.root, or a list of items',
      })
      .optional()
      .describe(
        'Items, each processed once or excluded: the path of a list, a pattern such as `data/*.root`, or a list.',
      ),
    per_job: positiveCount
      .optional()
      .meta({ default: 1 })
      .describe('With `items`: items of one processing job.'),
    group_by: z
      .string()
      .optional()
      .describe(
        'With `items`: a pattern (RE2). Its first group, or else the whole match, in the path of an item is the group of the item.',
      ),
  })
  .meta({ id: 'Work', description: 'The work that is split: either `range` or `items`.' });

const roundSchema = z
  .strictObject({
    first_units: positiveCount.optional().meta({ default: 10 }).describe('Units of the first round.'),
    units: positiveCount.optional().meta({ default: 40 }).describe('Units of each further round.'),
    hours: z
      .number()
      .positive()
      .max(10_000)
      .optional()
      .describe('Processing time of each further round, measured by the rounds before; instead of `units`.'),
  })
  .meta({ id: 'Round', description: 'How many units a round has.' });

const unitJobSchema = z
  .strictObject({
    command: commandText.describe('The shell command, with [placeholders](#placeholders).'),
    resource_requirements: inlineRequirementSchema.optional().describe('What the job needs.'),
    retry: z
      .union([count, retrySchema], { error: 'expected a number of retries, or an object' })
      .optional()
      .describe(
        'A number of retries, or an object. (default: 3 retries for `process`, 2 for `merge` and `cleanup`)',
      ),
    env: environment.optional().describe('Environment variables, over those of the request.'),
    cwd: nameText.optional().describe('Directory it runs in, relative to where the request is run.'),
    timeout: timeLimit.optional().describe('Time one attempt may take.'),
    labels: z.array(nameText).optional().describe('Labels that its worker must have.'),
  })
  .meta({
    id: 'UnitJob',
    description:
      'A command of each unit. `process` runs `jobs_per_unit` times in it, each time for a part of the work.',
  });

const share = z.number().min(0).max(1);
const postExitCode = z.int().min(1).max(255);
const LONGEST_COOLOFF_SEC = 86_400;

const errorsSchema = z
  .strictObject({
    error_hold_threshold: share
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.error_hold_threshold })
      .describe('A round in which this share of the units failed, or more, holds the request.'),
    error_max_rescue_attempts: count
      .max(1000)
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.error_max_rescue_attempts })
      .describe('Rescues of a round before the request is held.'),
    site_ban_duration_days: z
      .number()
      .positive()
      .max(36_500)
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.site_ban_duration_days })
      .describe('How long a site is banned, in days.'),
    site_ban_promotion_threshold: positiveCount
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.site_ban_promotion_threshold })
      .describe('Bans by this many requests become a ban for all requests.'),
    site_ban_min_failures: positiveCount
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.site_ban_min_failures })
      .describe('A site with fewer failures is not banned.'),
    site_ban_failure_ratio: share
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.site_ban_failure_ratio })
      .describe('A site with a larger share of failures is banned.'),
    unless_exit_code: postExitCode
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.unless_exit_code })
      .describe('Exit code of the post step that stops the retries of a job.'),
    abort_dag_code: postExitCode
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.abort_dag_code })
      .describe('Exit code of the post step that stops the whole round.'),
    cooloff_base_sec: z
      .number()
      .min(0)
      .max(LONGEST_COOLOFF_SEC)
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.cooloff_base_sec })
      .describe('Seconds before the first retry; each further wait is twice as long.'),
    when_exhausted: z
      .enum(WHEN_EXHAUSTED)
      .optional()
      .meta({ default: DEFAULT_ERROR_SETTINGS.when_exhausted })
      .describe('When no rescue is left: `hold` the request, or `advance` to the next round.'),
  })
  .meta({ id: 'Errors', description: 'Settings of error handling that differ from the configuration.' });

const hooksSchema = z
  .strictObject({
    output_registered: commandText.optional().describe('Run when a unit has delivered its output.'),
    output_invalidated: commandText.optional().describe('Run when an output is no longer valid.'),
  })
  .meta({ id: 'Hooks', description: 'Commands that register outputs elsewhere.' });

const htcondorSchema = z
  .strictObject({
    hold_timeout: duration
      .optional()
      .meta({ default: '10m' })
      .describe('A job that is held for so long is removed; it counts as an infrastructure failure.'),
    site_attribute: z
      .string()
      .regex(ATTRIBUTE_NAME, 'must be the name of an attribute of machines')
      .optional()
      .meta({ default: DEFAULT_SITE_ATTRIBUTE })
      .describe('Attribute of machines that names their site.'),
  })
  .meta({ id: 'HTCondor', description: 'Settings of HTCondor that differ from the configuration.' });

/** A file with `kind: request`. */
export const requestSpecSchema = z
  .strictObject({
    kind: z.literal('request').describe('Always `request`.'),
    name: requestName.describe(
      `Name of the request: letters, digits, \`.\`, \`_\` and \`-\`, at most ${LONGEST_NAME} characters.`,
    ),
    description: z.string().optional().describe('What it is for.'),
    priority: z.int().optional().meta({ default: 0 }).describe('Jobs of a higher priority start earlier.'),
    // A description of its own would take the name of the schema away.
    work: workSchema,
    jobs_per_unit: positiveCount.optional().meta({ default: 1 }).describe('Processing jobs of a unit.'),
    round: roundSchema.optional().describe('How many units a round has.'),
    sites: z
      .array(nameText)
      .min(1)
      .optional()
      .describe('Sites that may run its jobs. (default: every site that has workers)'),
    access_groups: accessGroups
      .optional()
      .describe(
        'On a server with tokens: groups whose members may see and change the request, as its owner may. (default: only the owner changes it, everybody sees it)',
      ),
    process: unitJobSchema,
    merge: unitJobSchema.optional().describe('Runs when all processing jobs of its unit have succeeded.'),
    cleanup: unitJobSchema
      .optional()
      .describe('Runs when its unit is done. A failure of it never fails the unit.'),
    outputs: nameText
      .optional()
      .describe(
        'Path of the output of a unit, with `{unit}` and optionally `{request}`, `{version}`, `{round}`.',
      ),
    post: postSchema
      .optional()
      .meta({ default: 'holdfast' })
      .describe('Evaluates every attempt: `holdfast` for the built-in step, or a command.'),
    rulebook: nameText.optional().describe('Path of a [rulebook](#rulebooks), relative to this file.'),
    errors: errorsSchema.optional().describe('Settings of error handling.'),
    cleanup_policy: z
      .enum(CLEANUP_POLICIES)
      .optional()
      .meta({ default: 'keep_until_replaced' })
      .describe(
        'When the request is restarted: outputs stay valid until they are invalidated by hand, or become invalid when the new version is complete.',
      ),
    hooks: hooksSchema.optional().describe('Commands that register outputs elsewhere.'),
    notify: z
      .array(notifySchema)
      .optional()
      .describe('Who is notified of holds, failures and the end. See [Notifications](notifications.md).'),
    executor: z
      .enum(EXECUTORS)
      .optional()
      .meta({ default: 'workers' })
      .describe('What runs the jobs: workers of Holdfast, or DAGMan, which runs whole rounds.'),
    shell: z
      .enum(NAMED_SHELLS)
      .optional()
      .meta({ default: 'bash' })
      .describe('What runs the commands of units: `bash`, or `strict` (`bash -euo pipefail -c`).'),
    htcondor: htcondorSchema.optional().describe('Settings of HTCondor.'),
    env: environment.optional().describe('Environment variables of every job.'),
    variables: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('Values for `{NAME}` in every text. A variable cannot have the name of a placeholder.'),
  })
  .meta({
    id: 'Request',
    description: 'A large piece of work that is split into units and worked off in rounds.',
  });

export type RequestSpec = z.infer<typeof requestSpecSchema>;
export type UnitJobSpec = RequestSpec['process'];
