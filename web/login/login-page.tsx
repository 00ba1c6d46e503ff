import { type FormEvent, useState } from 'react';
import { Mark } from '../app/mark.tsx';
import { queryClient } from '../app/queries.ts';
import { signIn } from '../app/session.ts';
import { Button } from '../parts/button.tsx';
import { TextField } from '../parts/field.tsx';
import { capitalised, Notice } from '../parts/notice.tsx';

/** Shown in place of any page: after signing in, the page that was asked for is there. */
export function LoginPage({ why }: { why: string | null }) {
  const [token, setToken] = useState('');
  const [error, setError] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      // What was read before was for another caller, and says what that one may do.
      queryClient.clear();
      await signIn(token.trim());
    } catch (problem) {
      setError(problem);
      setBusy(false);
    }
  };
  return (
    <main className="mx-auto max-w-md p-6 pt-[12dvh]">
      <h1 className="mb-1 flex items-center gap-3 text-2xl font-semibold tracking-tight">
        <Mark className="size-8" />
        Holdfast
      </h1>
      <p className="mb-6 text-quiet">Sign in with a token to see what runs here.</p>
      {why !== null && (
        <div className="mb-4">
          <Notice kind="asks" title={why} />
        </div>
      )}
      <form onSubmit={(event) => void submit(event)} className="rounded-lg border border-line bg-card p-5">
        <TextField
          label="Token"
          type="password"
          autoComplete="current-password"
          autoFocus
          required
          value={token}
          onChange={(event) => setToken(event.target.value)}
          hint={
            <>
              An administrator creates one with{' '}
              <code className="font-mono">holdfast token create --name NAME --role viewer</code>.
            </>
          }
        />
        <div className="mt-4 flex flex-col gap-3">
          {error !== null && <Notice kind="bad" title={capitalised((error as Error).message)} />}
          <Button kind="main" type="submit" disabled={isBusy} className="justify-center">
            Sign in
          </Button>
        </div>
      </form>
    </main>
  );
}
