import { type ReactNode, useId } from 'react';

/** A part of a page with its heading, and what belongs beside the heading. */
export function Section({
  title,
  beside,
  children,
}: {
  title: string;
  beside?: ReactNode;
  children: ReactNode;
}) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <h2 id={id} className="text-lg font-semibold tracking-tight">
          {title}
        </h2>
        {beside}
      </div>
      {children}
    </section>
  );
}

export function Card({ children, className = '' }: { children: ReactNode; className?: string }) {
  return <div className={`rounded-lg border border-line bg-card ${className}`}>{children}</div>;
}

/** A list or a page without anything in it. */
export function Empty({ children }: { children: ReactNode }) {
  return (
    <p className="rounded-lg border border-dashed border-line px-4 py-8 text-center text-quiet">{children}</p>
  );
}

/** While the first answer is on its way. */
export function Loading() {
  return (
    <p role="status" className="px-4 py-8 text-center text-quiet">
      Loading …
    </p>
  );
}
