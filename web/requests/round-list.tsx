import { useInfiniteQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { MoreButton } from '../parts/more-button.tsx';
import { Problem } from '../parts/notice.tsx';
import { Empty, Section } from '../parts/section.tsx';
import { counted } from '../parts/words.ts';
import { RoundCard } from './round-card.tsx';

/** Units of each are read besides, so that few rounds are shown at a time. */
const PAGE = 8;

/** Rounds as pictures of their units, newest first. */
export function RoundList({ name, count }: { name: string; count: number }) {
  const pages = useInfiniteQuery({
    queryKey: ['rounds', name],
    queryFn: ({ pageParam }) =>
      call('listRounds', name, { limit: PAGE, ...(pageParam !== null && { after: pageParam }) }),
    initialPageParam: null as number | null,
    getNextPageParam: ({ next }) => next,
  });
  const rounds = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  return (
    <Section title={count === 0 ? 'Rounds' : counted(count, 'round')}>
      {pages.error !== null && <Problem error={pages.error} />}
      {pages.isSuccess && rounds.length === 0 && <Empty>No round has been planned yet.</Empty>}
      {rounds.length > 0 && (
        <ol className="flex flex-col gap-3">
          {rounds.map((round) => (
            <RoundCard key={round.number} name={name} round={round} />
          ))}
        </ol>
      )}
      <MoreButton pages={pages} />
    </Section>
  );
}
