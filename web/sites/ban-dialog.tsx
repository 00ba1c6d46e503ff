import { useState } from 'react';
import { visibleText } from '../../src/views/visible-text.ts';
import { call } from '../api/call.ts';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { TextField } from '../parts/field.tsx';

const MOST_DAYS = 36_500;
const LONGEST_NAME = 200;

/** Keeps new work away from a site; `null`: one that has no worker yet is named first. */
export function BanDialog({
  site,
  onDone,
  onClose,
}: {
  site: string | null;
  onDone: (words: string) => void;
  onClose: () => void;
}) {
  const [fields, setFields] = useState({ site: site ?? '', request: '', days: '' });
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (event: { target: { value: string } }) => setFields({ ...fields, [name]: event.target.value }),
  });
  const days = fields.days.trim() === '' ? null : Number(fields.days);
  const isWrong = days !== null && !(days > 0 && days <= MOST_DAYS);
  const request = fields.request.trim();
  const name = fields.site.trim();
  const shown = name === '' ? 'the site' : name;
  return (
    <ConfirmDialog
      title={site === null ? 'Ban a site' : `Ban ${site}`}
      verb={`Ban ${shown}`}
      isDangerous
      isIncomplete={name === '' || isWrong}
      reasonHint="Shown with the ban, and kept in the audit trail."
      act={(reason) =>
        call('banSite', site ?? name, {
          ...reason,
          ...(request !== '' && { request }),
          ...(days !== null && { duration_days: days }),
        })
      }
      onDone={() => onDone(`Site ${shown} is banned ${request === '' ? 'for all work' : `for ${request}`}.`)}
      onClose={onClose}
    >
      {site === null && <TextField label="Site" maxLength={LONGEST_NAME} required {...field('site')} />}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Request"
          placeholder="all work"
          hint="Only for this request, such as minbias-2026."
          maxLength={LONGEST_NAME}
          {...field('request')}
        />
        <TextField
          label="Days"
          placeholder="as configured"
          inputMode="decimal"
          hint="How long the ban lasts."
          problem={isWrong ? `Must be a number above 0 and at most ${MOST_DAYS}.` : undefined}
          {...field('days')}
        />
      </div>
      <p className="text-sm">
        New work {request === '' ? '' : `of ${visibleText(request)} `}avoids {visibleText(shown)}
        {days === null || isWrong ? '' : ` for ${days} ${days === 1 ? 'day' : 'days'}`}. Jobs that run there
        are left alone.
      </p>
    </ConfirmDialog>
  );
}
