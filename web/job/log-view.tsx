import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useMemo, useRef, useState } from 'react';
import { isErrorLine } from '../../src/core/text/error-line.ts';
import { formatSize } from '../../src/core/text/quantity.ts';
import { useKeys } from '../app/keys.ts';
import { Button, buttonStyle } from '../parts/button.tsx';
import { Choice } from '../parts/choice.tsx';
import { SearchField } from '../parts/field.tsx';
import { Problem } from '../parts/notice.tsx';
import { counted } from '../parts/words.ts';
import { plainText } from './ansi.ts';
import { LogLine } from './log-line.tsx';
import { type LogSource, logUrl, useLog } from './use-log.ts';

const LINE_PX = 20;
const STREAMS = { stderr: 'stderr', stdout: 'stdout' };

/** What an attempt wrote: the end of it, as it grows, with a search over what is loaded. `first`: what is shown at first. */
export function LogView({ first, ...attempt }: Omit<LogSource, 'stream'> & { first: LogSource['stream'] }) {
  const [stream, setStream] = useState(first);
  const source = { ...attempt, stream };
  const { bytes, lines, error, loadEarlier } = useLog(source);
  const [search, setSearch] = useState('');
  const [marked, setMarked] = useState<number | null>(null);
  const [isWrapped, setWrapped] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const virtual = useVirtualizer({
    count: lines.length,
    getScrollElement: () => frame.current,
    estimateSize: () => LINE_PX,
    overscan: 30,
  });
  // Measured heights are those of the width and of the wrapping.
  // biome-ignore lint/correctness/useExhaustiveDependencies: whether lines wrap is what changes them
  useEffect(() => virtual.measure(), [isWrapped, virtual]);
  // Who reads the end stays there; who has scrolled up is left alone.
  useEffect(() => {
    if (isAtEnd.current && lines.length > 0) virtual.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines.length, virtual]);

  const matches = useMemo(() => {
    const wanted = search.toLowerCase();
    if (wanted === '') return [];
    return lines.flatMap((line, index) => (plainText(line).toLowerCase().includes(wanted) ? index : []));
  }, [lines, search]);
  const goTo = (index: number | undefined) => {
    if (index === undefined) return;
    isAtEnd.current = false;
    setMarked(index);
    virtual.scrollToIndex(index, { align: 'center' });
  };
  const next = () => goTo(matches.find((index) => index > (marked ?? -1)) ?? matches[0]);
  const previous = () =>
    goTo(matches.findLast((index) => index < (marked ?? lines.length)) ?? matches.at(-1));
  const lastError = useMemo(() => lines.findLastIndex((line) => isErrorLine(plainText(line))), [lines]);
  useKeys({ n: next, p: previous, e: lastError < 0 ? undefined : () => goTo(lastError) });

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <Choice
          label="Stream"
          options={STREAMS}
          value={stream}
          onChange={(value) => {
            setStream(value);
            setMarked(null);
            isAtEnd.current = true;
          }}
        />
        <div className="w-full sm:w-48">
          <SearchField
            label="Search the log"
            value={search}
            onChange={(event) => {
              setSearch(event.target.value);
              setMarked(null);
            }}
            onKeyDown={(event) => {
              if (event.key === 'Enter') (event.shiftKey ? previous : next)();
            }}
          />
        </div>
        {search !== '' && (
          <span className="text-sm text-quiet" role="status">
            {matches.length === 0
              ? 'no match'
              : `${marked === null ? '' : `${matches.indexOf(marked) + 1} of `}${matches.length} ${matches.length === 1 ? 'line' : 'lines'}`}
          </span>
        )}
        {matches.length > 0 && <Button onClick={next}>Next</Button>}
        <div className="ml-auto flex flex-wrap gap-2">
          <Button
            aria-pressed={isWrapped}
            onClick={() => setWrapped(!isWrapped)}
            className="aria-pressed:border-accent aria-pressed:bg-raised"
          >
            Wrap lines
          </Button>
          {lastError >= 0 && <Button onClick={() => goTo(lastError)}>Last error</Button>}
          <a
            className={buttonStyle('plain')}
            href={logUrl(source)}
            download={`${stream}-${source.job}-${source.attemptId}.log`}
          >
            Download
          </a>
        </div>
      </div>
      {error !== null && <Problem error={error} />}
      <div
        ref={frame}
        role="log"
        aria-label={`${stream} of attempt ${source.attemptId}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and a keyboard must reach that
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 2 * LINE_PX;
        }}
        className="max-h-[min(60dvh,32rem)] min-h-24 overflow-auto rounded-lg border border-line bg-log py-2 font-mono text-xs text-log-text"
      >
        {bytes !== null && bytes.offset > 0 && (
          <p className="px-3 pb-2">
            <button type="button" className="cursor-pointer underline" onClick={() => void loadEarlier()}>
              Show what is before ({formatSize(bytes.offset)})
            </button>
          </p>
        )}
        {bytes !== null && lines.length === 0 && (
          <p className="px-3 text-[#a3b1bf]">
            {bytes.hasEnded ? `Nothing was written to ${stream}.` : `Nothing on ${stream} yet.`}
          </p>
        )}
        <div
          className={`relative min-w-full ${isWrapped ? '' : 'w-max'}`}
          style={{ height: virtual.getTotalSize() }}
        >
          {virtual.getVirtualItems().map(({ index, start }) => (
            <LogLine
              key={index}
              measure={isWrapped ? virtual.measureElement : undefined}
              index={index}
              line={lines[index]!}
              top={start}
              isMarked={index === marked}
              search={search}
            />
          ))}
        </div>
      </div>
      <p className="text-xs text-quiet" role="status">
        {bytes === null
          ? 'Loading …'
          : `${bytes.size === 0 ? 'empty' : bytes.size < 1024 ? counted(bytes.size, 'byte') : formatSize(bytes.size)}; ${bytes.hasEnded ? 'the attempt has ended' : 'following as it is written'}`}
      </p>
    </div>
  );
}
