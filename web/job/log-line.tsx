import { visibleText } from '../../src/views/visible-text.ts';
import { ansiPieces } from './ansi.ts';

/** A line of a log in its colours; what was searched for is marked in it. `measure`: it is wrapped, and as high as it needs. */
export function LogLine({
  measure,
  index: lineIndex,
  line,
  top,
  isMarked,
  search,
}: {
  measure: ((element: Element | null) => void) | undefined;
  index: number;
  line: string;
  top: number;
  isMarked: boolean;
  search: string;
}) {
  return (
    <div
      ref={measure}
      data-index={lineIndex}
      className={`absolute left-0 min-w-full px-3 leading-5 ${measure === undefined ? 'h-5 whitespace-pre' : 'min-h-5 w-full whitespace-pre-wrap wrap-anywhere'} ${isMarked ? 'bg-[#2b3717]' : ''}`}
      aria-current={isMarked ? true : undefined}
      style={{ transform: `translateY(${top}px)` }}
    >
      {ansiPieces(line.replaceAll('\t', '    ')).map(({ text, className, color }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a line have no other name, and do not move
        <span key={index} className={className} style={color === null ? undefined : { color }}>
          <Marked text={visibleText(text)} search={search} />
        </span>
      ))}
    </div>
  );
}

function Marked({ text, search }: { text: string; search: string }) {
  const at = search === '' ? -1 : text.toLowerCase().indexOf(search.toLowerCase());
  if (at < 0) return text;
  const end = at + search.length;
  return (
    <>
      {text.slice(0, at)}
      <mark className="bg-[#f2c55c] text-black">{text.slice(at, end)}</mark>
      <Marked text={text.slice(end)} search={search} />
    </>
  );
}
