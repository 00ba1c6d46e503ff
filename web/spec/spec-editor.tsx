import { type ChangeEvent, type DragEvent, useMemo, useRef, useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { buttonStyle } from '../parts/button.tsx';
import { Problem } from '../parts/notice.tsx';
import { counted } from '../parts/words.ts';
import type { CheckState, EditedSpec } from './use-spec-check.ts';

const LINE_PX = 20;
const FEWEST_LINES = 12;
const MOST_LINES = 22;
const NOTATIONS = '.yaml,.yml,.json,.json5,.kdl';

/** A field for a spec that is pasted, dropped or chosen, with marks at the lines that have mistakes. */
export function SpecEditor({
  spec,
  onChange,
  checked,
}: {
  spec: EditedSpec;
  onChange: (spec: EditedSpec) => void;
  checked: CheckState;
}) {
  const field = useRef<HTMLTextAreaElement>(null);
  const [top, setTop] = useState(0);
  const [isOver, setOver] = useState(false);
  const check = checked.state === 'checked' ? checked.check : null;
  const problems = check?.problems ?? [];
  const warnings = check?.warnings ?? [];
  const marks = new Map<number, 'bad' | 'asks'>();
  for (const { line } of warnings) marks.set(line, 'asks');
  for (const { line } of problems) marks.set(line, 'bad');

  const take = async (file: File | undefined) => {
    if (file !== undefined) onChange({ text: await file.text(), fileName: file.name });
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    void take(event.dataTransfer.files[0]);
  };
  const goTo = (line: number, column: number) => {
    const before = spec.text.split('\n').slice(0, line - 1);
    const at = before.reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
    field.current?.focus();
    field.current?.setSelectionRange(at, at);
    if (field.current) field.current.scrollTop = Math.max(0, (line - 5) * LINE_PX);
  };
  const first = Math.floor(top / LINE_PX);
  const lines = useMemo(() => spec.text.split('\n').length, [spec.text]);
  const height = Math.min(MOST_LINES, Math.max(FEWEST_LINES, lines + 2));
  const count = Math.min(height + 1, lines - first);
  return (
    <div className="flex flex-col gap-3">
      <div
        className={`relative flex overflow-hidden rounded-lg border bg-card ${isOver ? 'border-accent ring-2 ring-accent' : 'border-line'}`}
      >
        <div
          aria-hidden="true"
          className="relative w-12 shrink-0 overflow-hidden border-r border-line bg-raised"
        >
          {Array.from({ length: Math.max(1, count) }, (_, index) => first + index + 1).map((line) => {
            const mark = marks.get(line);
            return (
              <span
                key={line}
                className={`absolute right-0 left-0 pr-2 text-right font-mono text-xs leading-5 ${mark === 'bad' ? 'bg-bad-ground font-bold text-bad' : mark === 'asks' ? 'bg-asks-ground font-bold text-asks' : 'text-quiet'}`}
                style={{ top: 8 + (line - 1) * LINE_PX - top }}
              >
                {mark === 'bad' ? '✕ ' : mark === 'asks' ? '! ' : ''}
                {line}
              </span>
            );
          })}
        </div>
        <textarea
          ref={field}
          aria-label="Spec"
          aria-invalid={problems.length > 0}
          spellCheck={false}
          autoCapitalize="off"
          wrap="off"
          value={spec.text}
          placeholder={
            'Paste a spec or drop a file.\n\nname: hello\njobs:\n  - name: greet\n    command: echo hello'
          }
          onChange={(event) => onChange({ ...spec, text: event.target.value })}
          onScroll={(event) => setTop(event.currentTarget.scrollTop)}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
          className="min-w-0 grow resize-none overflow-auto bg-card px-3 py-2 font-mono text-xs leading-5 placeholder:text-quiet"
          style={{ height: height * LINE_PX }}
        />
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <label className={`${buttonStyle('plain')} focus-within:outline-2 focus-within:outline-accent`}>
          Choose a file …
          <input
            type="file"
            accept={NOTATIONS}
            className="sr-only"
            onChange={(event: ChangeEvent<HTMLInputElement>) => {
              void take(event.target.files?.[0]);
              event.target.value = '';
            }}
          />
        </label>
        <span role="status" className="text-quiet">
          {statusText(checked, spec.fileName)}
        </span>
      </div>
      {checked.state === 'refused' && <Problem error={checked.error} />}
      {problems.length + warnings.length > 0 && (
        <ul aria-label="Mistakes" className="flex flex-col gap-1 text-sm">
          {[
            ...problems.map((place) => ({ ...place, isBad: true })),
            ...warnings.map((place) => ({ ...place, isBad: false })),
          ].map(({ line, column, path, message, isBad }) => (
            <li key={`${line} ${column} ${path} ${message}`}>
              <button
                type="button"
                onClick={() => goTo(line, column)}
                className="w-full cursor-pointer rounded px-2 py-1 text-left wrap-anywhere hover:bg-raised"
              >
                <span className={`mr-2 font-mono text-xs font-semibold ${isBad ? 'text-bad' : 'text-asks'}`}>
                  {isBad ? '✕' : '!'} line {line}:{column}
                </span>
                {path !== '' && <span className="mr-1 font-mono text-xs">{visibleText(path)}:</span>}
                {visibleText(message)}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function statusText(checked: CheckState, fileName: string): string {
  switch (checked.state) {
    case 'empty':
      return 'YAML, JSON, JSON5 or KDL';
    case 'checking':
      return `Checking ${fileName} …`;
    case 'refused':
      return 'Not checked';
    case 'checked': {
      const { valid, problems } = checked.check;
      return valid ? `${fileName} is valid` : `${fileName} has ${counted(problems.length, 'mistake')}`;
    }
  }
}
