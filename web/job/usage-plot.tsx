import { useId } from 'react';
import { formatDuration } from '../../src/core/text/quantity.ts';

const WIDTH = 520;
const HEIGHT = 120;
const TOP = 8;

/** One measure over time as an area, with what was asked for as a dashed line. The words above it say the same. */
export function UsagePlot({
  title,
  points,
  requested,
  format,
}: {
  title: string;
  points: { at_ms: number; value: number }[];
  /** null: nothing was asked for. */
  requested: number | null;
  format: (value: number) => string;
}) {
  const heading = useId();
  const peak = Math.max(0, ...points.map(({ value }) => value));
  const most = Math.max(peak, requested ?? 0) * 1.08 || 1;
  const length = Math.max(1, points.at(-1)?.at_ms ?? 1);
  const x = (ms: number) => (ms / length) * WIDTH;
  const y = (value: number) => TOP + (1 - value / most) * (HEIGHT - TOP);
  const line = points.map(({ at_ms, value }) => `${x(at_ms).toFixed(1)} ${y(value).toFixed(1)}`).join('L');
  const share = requested
    ? ` of ${format(requested)} requested (${Math.round((peak / requested) * 100)} %)`
    : '';
  const isHigh = requested !== null && peak > 0.9 * requested;
  return (
    <figure aria-labelledby={heading} className="min-w-0">
      <figcaption id={heading} className="mb-2 flex flex-wrap items-baseline gap-x-3 text-sm">
        <span className="font-medium">{title}</span>
        <span className={isHigh ? 'text-asks' : 'text-quiet'}>
          {isHigh && <span aria-hidden="true">! </span>}
          peak {format(peak)}
          {share}
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={`${title} peak ${format(peak)}${share}`}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        className="h-28 w-full rounded border border-line bg-raised"
      >
        <path
          d={`M${x(points[0]?.at_ms ?? 0)} ${HEIGHT}L${line}L${WIDTH} ${HEIGHT}z`}
          className="fill-runs opacity-25"
        />
        <path
          d={`M${line}`}
          fill="none"
          className="stroke-runs"
          strokeWidth="2"
          vectorEffect="non-scaling-stroke"
        />
        {requested !== null && (
          <path
            d={`M0 ${y(requested)}H${WIDTH}`}
            className="stroke-bad"
            strokeWidth="1.5"
            strokeDasharray="6 4"
            vectorEffect="non-scaling-stroke"
          />
        )}
      </svg>
      <div aria-hidden="true" className="mt-1 flex justify-between text-xs text-quiet tabular-nums">
        <span>0</span>
        {requested !== null && <span>dashed: requested</span>}
        <span>{formatDuration(length)}</span>
      </div>
    </figure>
  );
}
