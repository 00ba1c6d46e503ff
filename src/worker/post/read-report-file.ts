import {
  MOST_REPORT_BYTES,
  NO_REPORT,
  parseJobReport,
  type ReadReport,
  unusable,
} from '../../core/request/job-report.ts';
import { type ReadsPart, readPart } from '../observe/read-part.ts';

/** The report of a job, if it wrote one. Whatever is at the path, this neither throws nor waits. */
export async function readReportFile(path: string, read: ReadsPart = readPart): Promise<ReadReport> {
  try {
    const part = await read(path, (size) => ({ start: 0, length: size > MOST_REPORT_BYTES ? 0 : size }));
    if (part === null) return unusable('is not a file');
    if (part.size > MOST_REPORT_BYTES) return unusable('is over 1 MiB');
    return parseJobReport(part.bytes.toString('utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? NO_REPORT : unusable(`cannot be read (${message})`);
  }
}
