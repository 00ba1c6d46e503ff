import { type ComponentProps, type ReactNode, useId } from 'react';

const SHAPE = 'w-full rounded-md border bg-card px-2.5 py-1.5 text-sm placeholder:text-quiet';
const STYLE = `${SHAPE} border-line`;

/** A text field with its label, and a sentence below it; `problem`: what is wrong with its text, instead. */
export function TextField({
  label,
  hint: help,
  problem,
  ...rest
}: ComponentProps<'input'> & { label: string; hint?: ReactNode; problem?: string | undefined }) {
  const id = useId();
  const hint = problem ?? help;
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <input
        id={id}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        aria-invalid={problem === undefined ? undefined : true}
        {...rest}
        className={`${SHAPE} ${problem === undefined ? 'border-line' : 'border-bad'}`}
      />
      {hint !== undefined && (
        <p
          id={`${id}-hint`}
          className={`mt-1 text-xs ${problem === undefined ? 'text-quiet' : 'font-medium text-bad'}`}
        >
          {hint}
        </p>
      )}
    </div>
  );
}

/** The same for several lines. */
export function TextArea({
  label,
  hint,
  ...rest
}: ComponentProps<'textarea'> & { label: string; hint?: ReactNode }) {
  const id = useId();
  return (
    <div>
      <label htmlFor={id} className="mb-1 block text-sm font-medium">
        {label}
      </label>
      <textarea id={id} aria-describedby={`${id}-hint`} {...rest} className={`${STYLE} font-mono`} />
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-xs text-quiet">
          {hint}
        </p>
      )}
    </div>
  );
}

/** One of many, by name. */
export function SelectField({
  label,
  isLabelHidden = false,
  options,
  ...rest
}: ComponentProps<'select'> & {
  label: string;
  /** The place says what it is for. */
  isLabelHidden?: boolean;
  options: readonly { value: string; text: string }[];
}) {
  const id = useId();
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={isLabelHidden ? 'sr-only' : 'mb-1 block text-sm font-medium'}>
        {label}
      </label>
      <select id={id} {...rest} className={`${STYLE} h-8.5 cursor-pointer`}>
        {options.map(({ value, text }) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The field that `/` goes to. */
export function SearchField({ label, ...rest }: ComponentProps<'input'> & { label: string }) {
  return (
    <input type="search" data-search="" aria-label={label} placeholder={label} {...rest} className={STYLE} />
  );
}

export function focusSearch(): void {
  document.querySelector<HTMLElement>('[data-search]')?.focus();
}
