import type { Claim } from '../../contract/records/exchange.ts';
import type { FileMark } from '../../core/files/file-mark.ts';
import { causeOf } from '../../core/job/outcome.ts';
import type { EndedNotice } from '../launcher/protocol.ts';
import { markedFiles, mostHashedBytes } from './declared-files.ts';
import type { FileHashes } from './file-hashes.ts';

/** Begins to read the inputs of an attempt that has started. */
export function readInputsAhead(claim: Claim, hashes: FileHashes): void {
  const maxBytes = mostHashedBytes(claim.config.fingerprint);
  for (const { role, absolute } of markedFiles(claim)) {
    if (role === 'input') hashes.readAhead(absolute, maxBytes);
  }
}

/** Whether the files of an ended attempt are read: nothing follows from one that was cut off. */
export function leavesMarks(claim: Claim, { files, outcome }: EndedNotice): boolean {
  const cause = causeOf(outcome);
  const isCutOff = cause === 'lost' || cause === 'stopped' || cause === 'canceled';
  return files !== undefined && !isCutOff && files.length === markedFiles(claim).length;
}

/** Inputs as they were when the attempt started, outputs as they were when it ended. */
export async function markFiles(
  claim: Claim,
  { files }: EndedNotice,
  hashes: FileHashes,
): Promise<FileMark[]> {
  const maxBytes = mostHashedBytes(claim.config.fingerprint);
  return Promise.all(
    markedFiles(claim).map(async ({ path, role, absolute }, index) => {
      const state = await hashes.read(absolute, maxBytes, files![index]!);
      return { path, role, ...state };
    }),
  );
}

export function hasMarkedOutputs(claim: Claim): boolean {
  return markedFiles(claim).some(({ role }) => role === 'output');
}

/** Outputs once more, after a post script that may have changed them. */
export async function markOutputs(claim: Claim, hashes: FileHashes): Promise<FileMark[]> {
  const maxBytes = mostHashedBytes(claim.config.fingerprint);
  const outputs = markedFiles(claim).filter(({ role }) => role === 'output');
  return Promise.all(
    outputs.map(async ({ path, role, absolute }) => {
      return { path, role, ...(await hashes.read(absolute, maxBytes, null)) };
    }),
  );
}
