import { z } from 'zod';
import { JOB_STATUSES } from '../../core/job/job-status.ts';

const workflow = z.int();
const of = <K extends string>(kind: K) => ({ kind: z.literal(kind), workflow });

/**
 * A step that helps from here, as data: the command line words it as a command, an agent gets a tool call, a page may
 * show a button. `workflow` is a number, `job` a label.
 */
export const hint = z
  .discriminatedUnion('kind', [
    /** Run it, or resume it: no process drives it now. `until`: at what it is to end, as before; absent: at its end. */
    z.object({ ...of('run'), until: z.array(z.string()).exactOptional() }),
    /** A process drives it: follow it, or look again later. */
    z.object(of('wait')),
    /** Resume a paused or stopped workflow. */
    z.object(of('resume')),
    z.object(of('cancel')),
    /** Look at what failed, by kind of failure. */
    z.object(of('failures')),
    /** Retry or fail jobs that wait for a decision. */
    z.object(of('resolve')),
    /** Try again what lacked memory or time, with more of it. */
    z.object(of('recover')),
    /** Begin a new run. */
    z.object({ ...of('reset'), failed_only: z.boolean() }),
    /** Begin a new run with what is out of date or did not succeed. */
    z.object(of('reinitialize')),
    z.object({ ...of('retry'), jobs: z.array(z.string()) }),
    /** Retry everything that failed. */
    z.object(of('retry_failed')),
    /**
     * Apply an edited spec, and run what changed and what did not succeed. `spec`: its path, and options that give values
     * to it; absent: they are not known.
     */
    z.object({ ...of('continue'), spec: z.array(z.string()).exactOptional() }),
    z.object({ ...of('explain'), job: z.string() }),
    z.object({ ...of('logs'), job: z.string(), follow: z.boolean() }),
    /** List the jobs in these statuses. */
    z.object({ ...of('jobs'), statuses: z.array(z.enum(JOB_STATUSES)) }),
  ])
  .meta({ id: 'Hint', description: 'A step that helps from here.' });
