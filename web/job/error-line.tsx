import { useQuery } from '@tanstack/react-query';
import { isErrorLine } from '../../src/core/text/error-line.ts';
import { visibleText } from '../../src/views/visible-text.ts';
import { ask } from '../api/call.ts';
import { plainText } from './ansi.ts';
import { logUrl } from './use-log.ts';

const END_BYTES = 2048;

/**
 * What an attempt that failed wrote about it: the last line of stderr that looks like an error, or else the last one.
 * Nothing where there is no stderr: the job can be looked at all the same.
 */
export function ErrorLine({
  workflow,
  sample: { job_id, run_id, attempt_id },
}: {
  workflow: number;
  sample: { job_id: number; run_id: number; attempt_id: number };
}) {
  const source = { workflow, job: job_id, stream: 'stderr', runId: run_id, attemptId: attempt_id } as const;
  const url = logUrl(source, { offset: -END_BYTES, limit: END_BYTES });
  const line = useQuery({
    queryKey: ['error line', url],
    queryFn: async () => errorLine(await (await ask(url)).text()),
  });
  if (!line.data) return null;
  return (
    <p title={line.data} className="truncate font-mono text-xs leading-5 text-text">
      {line.data}
    </p>
  );
}

function errorLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => visibleText(plainText(line)).trim())
    .filter((line) => line !== '');
  return lines.findLast(isErrorLine) ?? lines.at(-1) ?? '';
}
