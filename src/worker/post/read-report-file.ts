import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import {
  MOST_REPORT_BYTES,
  NO_REPORT,
  parseJobReport,
  type ReadReport,
  unusable,
} from '../../core/request/job-report.ts';

/** The report of a job, if it wrote one. Whatever is at the path, this neither throws nor waits. */
export async function readReportFile(path: string): Promise<ReadReport> {
  try {
    // A pipe would keep the reader waiting for ever.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const facts = await file.stat();
      if (!facts.isFile()) return unusable('is not a file');
      if (facts.size > MOST_REPORT_BYTES) return unusable('is over 1 MiB');
      const buffer = Buffer.alloc(facts.size);
      const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
      return parseJobReport(buffer.toString('utf8', 0, bytesRead));
    } finally {
      await file.close();
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' || code === 'ENOTDIR' ? NO_REPORT : unusable(`cannot be read (${message})`);
  }
}
