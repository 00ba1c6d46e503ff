import { Dialog } from '../parts/dialog.tsx';

const KEYS: [where: string, keys: [key: string, what: string][]][] = [
  [
    'Everywhere',
    [
      ['?', 'show this list'],
      ['/', 'go to the search field, where there is one'],
      ['Esc', 'close a dialog'],
    ],
  ],
  [
    'Triage',
    [
      ['j', 'next group of failures'],
      ['k', 'previous group'],
      ['r', 'retry the group'],
      ['f', 'fail the group'],
    ],
  ],
  [
    'Log',
    [
      ['n', 'next match'],
      ['p', 'previous match'],
      ['e', 'jump to the last error'],
    ],
  ],
];

export function KeyHelp({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Dialog title="Keys" isOpen={isOpen} onClose={onClose}>
      <div className="grid gap-5 sm:grid-cols-2">
        {KEYS.map(([where, keys]) => (
          <section key={where}>
            <h3 className="mb-1 text-sm font-semibold">{where}</h3>
            <dl className="grid grid-cols-[3rem_1fr] gap-y-1 text-sm">
              {keys.map(([key, what]) => (
                <div key={key} className="contents">
                  <dt>
                    <kbd className="rounded border border-line bg-raised px-1.5 font-mono text-xs">{key}</kbd>
                  </dt>
                  <dd className="text-quiet">{what}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
