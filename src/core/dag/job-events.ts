/** One event of a job log of HTCondor, as DAGMan and `log =` in a submit file write it. */
export interface JobEvent {
  /** 0 submitted, 1 executing, 5 terminated, 9 removed, 12 held, 13 released, 16 POST script, 28 attributes. */
  type: number;
  cluster: number;
  /** The time of the log as if it were UTC: only differences mean something. null: it has another format. */
  at: number | null;
  /** What follows the time in the first line. */
  title: string;
  lines: string[];
}

/** `...` alone ends an event. */
const HEAD = /^(\d{3}) \((-?\d+)\.-?\d+\.-?\d+\) (?:(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)\S* )?(.*)$/;

/**
 * The events of a log, or of the end of one: what comes before the first whole event is left out, and so is an event
 * that is still being written.
 */
export function readJobEvents(log: string): JobEvent[] {
  const events: JobEvent[] = [];
  for (const block of log.split(/^\.\.\.\r?\n/m).slice(0, -1)) {
    const [first = '', ...lines] = block.replace(/\r/g, '').replace(/\n$/, '').split('\n');
    const match = HEAD.exec(first);
    if (match === null) continue;
    const [, type, cluster, date, time, title] = match;
    events.push({
      type: Number(type),
      cluster: Number(cluster),
      at: date === undefined ? null : Date.parse(`${date}T${time}Z`),
      title: title!,
      lines,
    });
  }
  return events;
}
