import type { Segment, SpanEnd } from '../../../src/views/timeline/timeline-segments.ts';

/** How a segment looks: by colour, and by a pattern or its height for those who do not see the difference. */
export const SPAN_FILLS: Record<SpanEnd, string> = {
  running: 'fill-runs',
  succeeded: 'fill-good',
  retried: 'fill-[url(#span-retried)]',
  failed: 'fill-bad',
  asks: 'fill-[url(#span-asks)]',
  preempted: 'fill-[url(#span-preempted)]',
  ended: 'fill-off',
};

/** Patterns that all drawings of the page use. */
export function SpanPatterns() {
  return (
    <svg aria-hidden="true" className="absolute size-0">
      <defs>
        <pattern
          id="span-retried"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <path d="M0 0h6v6H0z" className="fill-bad-ground" />
          <path d="M0 0h3v6H0z" className="fill-bad" />
        </pattern>
        <pattern id="span-asks" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M0 0h6v6H0z" className="fill-asks-ground" />
          <circle cx="3" cy="3" r="2" className="fill-asks-fill" />
        </pattern>
        <pattern id="span-preempted" width="6" height="6" patternUnits="userSpaceOnUse">
          <path d="M0 0h6v6H0z" className="fill-raised" />
          <path d="M0 0h3v6H0z" className="fill-waits" />
        </pattern>
      </defs>
    </svg>
  );
}

/** Narrower ones could not be seen, and narrower patterns not be recognised. */
const NARROWEST = { plain: 0.35, pattern: 0.9 };
const PATTERNED: readonly SpanEnd[] = ['retried', 'asks', 'preempted'];

export function SegmentShape({ segment, left, width }: { segment: Segment; left: number; width: number }) {
  const hasPattern = segment.kind === 'running' && PATTERNED.includes(segment.end);
  const narrowest = hasPattern ? NARROWEST.pattern : NARROWEST.plain;
  const wide = Math.max(narrowest, width);
  const x = `${Math.min(100 - narrowest, left)}%`;
  if (segment.kind !== 'running') {
    return segment.kind === 'recovering' ? (
      <rect x={x} width={`${wide}%`} y="13" height="8" className="fill-card stroke-asks" strokeWidth="1.5" />
    ) : (
      <rect x={x} width={`${width}%`} y="16" height="2" className="fill-waits" />
    );
  }
  return (
    <rect
      x={x}
      width={`${wide}%`}
      y="8"
      height="18"
      rx="2"
      className={`${SPAN_FILLS[segment.end]} stroke-card`}
      strokeWidth="1"
    />
  );
}
