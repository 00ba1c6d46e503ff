import type { RequestRecord } from '../../src/contract/records/request.ts';
import { CountBar, type Share } from '../parts/count-bar.tsx';
import { ShareBar } from '../parts/progress.tsx';

/** What is delivered of a range, or the items of an inventory by state. */
export function Ledger({
  request: { items, delivered, total },
  headline,
}: {
  request: RequestRecord;
  headline: string;
}) {
  if (items === null) {
    const share = Number(total) === 0 ? 1 : Number(delivered) / Number(total);
    return <ShareBar share={share} label="Progress" text={headline} />;
  }
  const shares: Share[] = [
    { tone: 'good', words: 'processed', count: items.processed },
    { tone: 'asks', words: 'attempted', count: items.attempted },
    { tone: 'bad', words: 'excluded', count: items.excluded },
    { tone: 'waits', words: 'fresh', count: items.fresh, isOpen: true },
  ];
  return <CountBar label="Items" shares={shares} />;
}
