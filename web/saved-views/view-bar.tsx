import { type FormEvent, useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { setQuery, usePlace } from '../app/router.ts';
import { Button } from '../parts/button.tsx';
import { deleteView, saveView, useSavedViews, VIEW_FILTERS, type ViewList } from './saved-views.ts';

/** Filters that were given names: chosen again, deleted, and the current ones saved. This browser keeps them. */
export function ViewBar({ list }: { list: ViewList }) {
  const { query } = usePlace();
  const [isNaming, setNaming] = useState(false);
  const views = useSavedViews()[list];
  const names: readonly string[] = VIEW_FILTERS[list];
  const current = Object.fromEntries(
    names.flatMap((filter) => (query.get(filter) ? [[filter, query.get(filter)!]] : [])),
  );
  const isCurrent = (filters: Record<string, string>) =>
    names.every((filter) => (filters[filter] ?? '') === (current[filter] ?? ''));
  const isFiltered = Object.keys(current).length > 0;
  const maySave = isFiltered && !views.some(({ filters }) => isCurrent(filters));
  if (views.length === 0 && !isFiltered) return null;
  const show = (filters: Record<string, string>) =>
    setQuery(Object.fromEntries(names.map((filter) => [filter, filters[filter] ?? ''])));
  const save = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('view')).trim();
    if (name === '') return;
    saveView(list, { name, filters: current });
    setNaming(false);
  };
  return (
    <fieldset className="flex min-w-0 flex-wrap items-center gap-2 text-sm">
      <legend className="sr-only">Saved views</legend>
      {views.map(({ name, filters }) => (
        <span
          key={name}
          className={`inline-flex max-w-full items-center rounded-full border ${isCurrent(filters) ? 'border-accent bg-raised font-medium' : 'border-line bg-card'}`}
        >
          <button
            type="button"
            aria-pressed={isCurrent(filters)}
            title={Object.values(filters).map(visibleText).join(', ')}
            onClick={() => show(isCurrent(filters) ? {} : filters)}
            className="max-w-60 cursor-pointer truncate rounded-l-full py-0.5 pl-3 hover:bg-raised"
          >
            {visibleText(name)}
          </button>
          <button
            type="button"
            aria-label={`Delete the view ${visibleText(name)}`}
            onClick={() => deleteView(list, name)}
            className="cursor-pointer rounded-r-full py-0.5 pr-2.5 pl-1.5 text-quiet hover:bg-raised hover:text-bad"
          >
            <span aria-hidden="true">×</span>
          </button>
        </span>
      ))}
      {maySave && isNaming && (
        <form onSubmit={save} className="flex items-center gap-2">
          <input
            name="view"
            aria-label="Name of the view"
            placeholder="Name of the view"
            required
            maxLength={60}
            // biome-ignore lint/a11y/noAutofocus: the button that was pressed made way for it
            autoFocus
            onKeyDown={(event) => {
              if (event.key === 'Escape') setNaming(false);
            }}
            className="w-44 rounded-md border border-line bg-card px-2.5 py-1 placeholder:text-quiet"
          />
          <Button type="submit" className="py-1">
            Save
          </Button>
        </form>
      )}
      {maySave && !isNaming && (
        <button
          type="button"
          onClick={() => setNaming(true)}
          className="cursor-pointer rounded-full border border-dashed border-line px-3 py-0.5 text-quiet hover:bg-raised"
        >
          Save this view …
        </button>
      )}
    </fieldset>
  );
}
