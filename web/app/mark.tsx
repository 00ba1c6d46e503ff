/** The anchor of Holdfast. */
export function Mark({ className = 'size-6' }: { className?: string }) {
  return (
    <svg viewBox="0 0 32 32" className={className} aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="#0f5c70" />
      <g fill="none" stroke="#fff" strokeWidth="2.6" strokeLinecap="round" strokeLinejoin="round">
        <circle cx="16" cy="8.6" r="2.9" />
        <path d="M16 11.5V25M10.5 15h11M6.5 18.5c.6 4.2 4.4 6.6 9.5 6.6s8.9-2.4 9.5-6.6" />
      </g>
    </svg>
  );
}
