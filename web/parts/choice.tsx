/** One of a few, all of them visible. */
export function Choice<K extends string>({
  label,
  options,
  value,
  onChange,
}: {
  label: string;
  options: { [O in K]?: string };
  value: string;
  onChange: (value: K) => void;
}) {
  return (
    <fieldset className="flex min-w-0 flex-wrap rounded-md border border-line bg-card p-0.5">
      <legend className="sr-only">{label}</legend>
      {(Object.entries(options) as [K, string][]).map(([key, text]) => (
        <button
          key={key}
          type="button"
          aria-pressed={key === value}
          onClick={() => onChange(key)}
          className={`cursor-pointer rounded px-2.5 py-1 text-sm ${key === value ? 'bg-accent text-accent-text' : 'text-quiet hover:bg-raised'}`}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}
