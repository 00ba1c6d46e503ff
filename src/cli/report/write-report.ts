import { rename, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Engine } from '../../contract/engine.ts';
import { HoldfastError } from '../../core/errors.ts';
import { readVersion } from '../../mcp/read-version.ts';
import { BundleMask } from '../bundle/bundle-mask.ts';
import type { CommandContext } from '../command-context.ts';
import { fileProblem } from '../file-problem.ts';
import { collectReport } from './report-facts.ts';
import { reportPage } from './report-page.ts';

/** Writes the report of a workflow as one HTML file; an older one is replaced as a whole. Returns its size. */
export async function writeReport(
  context: CommandContext,
  engine: Engine,
  workflowId: number,
  file: string,
): Promise<number> {
  const mask = await BundleMask.of(context, engine, workflowId);
  const facts = await collectReport(engine, workflowId, mask, { now: Date.now(), version: readVersion() });
  const page = Buffer.from(reportPage(facts));
  const partial = `${resolve(file)}.${process.pid}.partial`;
  try {
    // Logs may have what is meant for the owner alone.
    await writeFile(partial, page, { flag: 'wx', mode: 0o600 });
    await rename(partial, resolve(file));
  } catch (error) {
    throw new HoldfastError(
      'INVALID_ARGUMENT',
      { argument: file, problem: `cannot be written: ${fileProblem(error)}` },
      error,
    );
  } finally {
    await rm(partial, { force: true });
  }
  return page.length;
}
