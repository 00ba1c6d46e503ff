import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import type { RequestChange, RequestRecord } from '../../src/contract/records/request.ts';
import { call } from '../api/call.ts';
import { Button } from '../parts/button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { TextArea, TextField } from '../parts/field.tsx';
import { counted } from '../parts/words.ts';
import { itemsIn, NO_CHANGES, type ReleaseFields, readRelease } from './release-form.ts';
import { SiteChoice } from './site-choice.tsx';

/** Continues a held request, with changes. What is wrong in a field is said there; the server checks the whole. */
export function ReleaseDialog({
  request,
  name,
  onDone,
  onClose,
}: {
  request: RequestRecord;
  name: string;
  onDone: (change: RequestChange) => void;
  onClose: () => void;
}) {
  const [fields, setFields] = useState<ReleaseFields>(NO_CHANGES);
  const { changes, problems } = readRelease(fields);
  const isWrong = Object.keys(problems).length > 0;
  const key = useDeferredValue(JSON.stringify(changes));
  const field = (field: 'memory' | 'retries' | 'threshold' | 'rescues') => ({
    value: fields[field],
    placeholder: 'as before',
    problem: problems[field],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [field]: event.target.value }),
  });
  const { settings } = request;
  return (
    <ConfirmDialog
      title={`Release ${name}`}
      verb={`Release ${name}`}
      reasonHint="Recorded in the history, for those who look later."
      isIncomplete={isWrong}
      dryRun={{
        key: ['release', name, key],
        run: () => call('releaseRequest', name, { ...(JSON.parse(key) as typeof changes), dry_run: true }),
      }}
      act={(reason) => call('releaseRequest', name, { ...changes, ...reason })}
      onDone={onDone}
      onClose={onClose}
    >
      <p className="text-sm text-quiet">Fields that are left empty stay as they are.</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Memory" hint="Of each processing job, such as 6g." {...field('memory')} />
        <TextField label="Retries" hint="Of each processing job." inputMode="numeric" {...field('retries')} />
        <TextField
          label="Threshold"
          hint={`Hold from this share of failed units on, from 0 to 1. Now: ${settings.error_hold_threshold}.`}
          inputMode="decimal"
          {...field('threshold')}
        />
        <TextField
          label="Rescues"
          hint={`Before the request is held. Now: ${settings.error_max_rescue_attempts}.`}
          inputMode="numeric"
          {...field('rescues')}
        />
      </div>
      <SiteChoice
        request={request}
        chosen={fields.bans}
        onChoose={(bans) => setFields({ ...fields, bans })}
      />
      {request.work === 'inventory' && (
        <Exclusions
          name={name}
          text={fields.excluded}
          onChange={(excluded) => setFields({ ...fields, excluded })}
        />
      )}
    </ConfirmDialog>
  );
}

/** Items that are not processed any more; those that jobs named as bad can be filled in. */
function Exclusions({
  name,
  text,
  onChange,
}: {
  name: string;
  text: string;
  onChange: (text: string) => void;
}) {
  const errors = useQuery({
    queryKey: ['errors', name, null],
    queryFn: () => call('requestErrors', name, {}),
  });
  const known = new Set(itemsIn(text));
  const bad = (errors.data?.bad_input_files ?? []).filter((path) => !known.has(path));
  return (
    <div className="flex flex-col items-start gap-2">
      <div className="w-full">
        <TextArea
          label="Exclude items"
          rows={3}
          spellCheck={false}
          hint="One a line, as the inventory has them. They are not processed any more."
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      </div>
      {bad.length > 0 && (
        <Button onClick={() => onChange([...known, ...bad].join('\n'))}>
          Add {counted(bad.length, 'item')} that jobs named as bad
        </Button>
      )}
    </div>
  );
}
