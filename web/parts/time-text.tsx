import { fullTime, timeFrom, useNow } from './times.ts';

/** How long ago something was, with the whole time for those who ask. */
export function TimeText({ at }: { at: number }) {
  const now = useNow();
  return (
    <time dateTime={new Date(at).toISOString()} title={fullTime(at)} className="whitespace-nowrap">
      {timeFrom(at, now)}
    </time>
  );
}
