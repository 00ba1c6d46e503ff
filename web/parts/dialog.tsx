import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';

/** A modal dialog of the browser: it keeps the focus inside, Escape closes it, and the focus returns. */
export function Dialog({
  title,
  isOpen,
  onClose,
  children,
}: {
  title: string;
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}) {
  const element = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // Closed before the element leaves the page: only then does the browser give the focus back.
  useLayoutEffect(() => {
    const dialog = element.current;
    if (!isOpen || dialog === null) return;
    dialog.showModal();
    return () => dialog.close();
  }, [isOpen]);
  // The browser reports a close some time later: by then the dialog may be open again.
  const closed = () => {
    if (element.current?.open === false) onClose();
  };
  return (
    <dialog
      ref={element}
      aria-labelledby={heading}
      onCancel={onClose}
      onClose={closed}
      className="m-auto w-[min(40rem,calc(100vw-2rem))] rounded-lg border border-line bg-card p-0 text-text shadow-xl"
    >
      {isOpen && (
        <div className="max-h-[85dvh] overflow-y-auto p-5">
          <div className="mb-4 flex items-start justify-between gap-4">
            <h2 id={heading} className="min-w-0 text-lg font-semibold wrap-anywhere">
              {title}
            </h2>
            <button
              type="button"
              aria-label="Close"
              onClick={onClose}
              className="-m-1 cursor-pointer rounded-md px-2 py-1 text-quiet hover:bg-raised"
            >
              ✕
            </button>
          </div>
          {children}
        </div>
      )}
    </dialog>
  );
}
