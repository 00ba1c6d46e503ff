import { formatDuration, formatSize } from '../../../core/text/quantity.ts';
import { cpusOverTime, type JobUsage } from '../../../views/job-usage.ts';
import { visibleText } from '../../../views/visible-text.ts';

const BARS = '▁▂▃▄▅▆▇█';
const WIDTH = 40;

/** What jobs used over time, as curves from 0 to the highest value; nothing for jobs without samples. */
export function usageCurves(jobs: readonly JobUsage[]): string[] {
  return jobs.flatMap(({ name, samples }) => {
    const last = samples.at(-1);
    if (last === undefined) return [];
    const memory = samples.map(({ rss_bytes }) => rss_bytes);
    const cpus = cpusOverTime(samples);
    return [
      '',
      visibleText(
        `${name}: ${samples.length} ${samples.length === 1 ? 'sample' : 'samples'} in ${formatDuration(last.at_ms)}`,
      ),
      `  memory  ${curve(memory)}  at most ${formatSize(Math.max(...memory))}`,
      `  CPUs    ${curve(cpus)}  at most ${Math.max(...cpus).toFixed(2)}`,
    ];
  });
}

/** One bar for each part of the time: the highest value in it. */
function curve(values: readonly number[]): string {
  const highest = Math.max(...values);
  const bars = Math.min(WIDTH, values.length);
  return Array.from({ length: bars }, (_, bar) => {
    const part = values.slice(
      Math.floor((bar * values.length) / bars),
      Math.floor(((bar + 1) * values.length) / bars),
    );
    const share = highest === 0 ? 0 : Math.max(...part) / highest;
    return BARS[Math.round(share * (BARS.length - 1))];
  }).join('');
}
