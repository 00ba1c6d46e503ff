import { type ReactNode, useState } from 'react';
import { clockTime } from '../parts/times.ts';
import { KeyHelp } from './key-help.tsx';
import { useKeys } from './keys.ts';
import { Link } from './link.tsx';
import { useLiveness } from './live.ts';
import { Mark } from './mark.tsx';
import { Nav } from './nav.tsx';
import { pageUrl, usePlace } from './router.ts';
import { signOut, useMay, useSession } from './session.ts';
import { nextTheme, useTheme } from './theme.ts';

/** What is around every page: the way home, whether it is live, who is signed in. */
export function Shell({ children }: { children: ReactNode }) {
  const [isHelpOpen, setHelpOpen] = useState(false);
  const mayOperate = useMay('operator');
  const { page } = usePlace();
  useKeys({ '?': () => setHelpOpen(true) });
  return (
    <div className="flex min-h-dvh flex-col">
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:absolute focus:z-20 focus:m-2 focus:bg-card focus:p-2"
      >
        To the content
      </a>
      <header className="border-b border-line bg-card">
        <div className="mx-auto flex max-w-6xl flex-wrap items-center gap-x-4 gap-y-1 px-4 py-2.5">
          <Link to="/" className="flex items-center gap-2 font-semibold tracking-tight">
            <Mark />
            Holdfast
          </Link>
          <Nav />
          <Live />
          <div className="ml-auto flex items-center gap-1">
            {mayOperate && (
              <Link
                to={pageUrl('new')}
                aria-current={page === 'new' ? 'page' : undefined}
                className={`${TOOL} aria-[current]:bg-raised aria-[current]:font-semibold aria-[current]:text-text`}
              >
                New
              </Link>
            )}
            {/* A phone has no keys, and no room. */}
            <button type="button" className={`${TOOL} max-sm:hidden`} onClick={() => setHelpOpen(true)}>
              Keys
            </button>
            <ThemeButton />
            <Caller />
          </div>
        </div>
      </header>
      <main id="content" tabIndex={-1} className="mx-auto w-full max-w-6xl grow px-4 py-5 outline-none">
        {children}
      </main>
      <KeyHelp isOpen={isHelpOpen} onClose={() => setHelpOpen(false)} />
    </div>
  );
}

const TOOL = 'rounded-md px-2 py-1 text-sm text-quiet hover:bg-raised hover:text-text cursor-pointer';

/** Shown honestly: what is on the page is as old as the last contact. */
function Live() {
  const liveness = useLiveness();
  return (
    <p role="status" className="flex text-sm">
      {liveness.live ? (
        <span className="inline-flex items-center gap-1.5 text-quiet">
          <span aria-hidden="true" className="size-2 rounded-full bg-good" />
          live
        </span>
      ) : (
        <span className="inline-flex items-center gap-1.5 rounded bg-bad-ground px-2 py-0.5 font-medium text-bad">
          <span aria-hidden="true" className="size-2 shrink-0 border-2 border-current" />
          stale since {clockTime(liveness.since)}; the server does not answer
        </span>
      )}
    </p>
  );
}

function ThemeButton() {
  const theme = useTheme();
  return (
    <button type="button" className={TOOL} onClick={nextTheme}>
      {{ system: 'Auto', light: 'Light', dark: 'Dark' }[theme]}
      <span className="max-sm:sr-only"> colours</span>
      <span className="sr-only">. Change</span>
    </button>
  );
}

function Caller() {
  const session = useSession();
  if (session.state !== 'in' || session.auth === 'none') return null;
  return (
    <>
      <span className="hidden px-2 text-sm text-quiet sm:inline">
        {session.name} ({session.role})
      </span>
      <button type="button" className={TOOL} onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  );
}
