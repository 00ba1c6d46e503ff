import { Link } from '../app/link.tsx';

/** The way back, with the page itself as the heading. */
export function Crumbs({ trail, here }: { trail: { to: string; text: string }[]; here: string }) {
  return (
    <div>
      <nav aria-label="Way back" className="flex flex-wrap gap-x-2 text-sm text-quiet">
        {[{ to: '/', text: 'Overview' }, ...trail].map(({ to, text }) => (
          <span key={to} className="flex min-w-0 gap-2">
            <Link to={to} className="max-w-80 truncate hover:text-text hover:underline">
              {text}
            </Link>
            <span aria-hidden="true">/</span>
          </span>
        ))}
      </nav>
      <h1 className="mt-0.5 text-xl font-semibold sm:text-2xl tracking-tight wrap-anywhere">{here}</h1>
    </div>
  );
}
