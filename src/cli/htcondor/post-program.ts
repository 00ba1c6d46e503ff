import { fileURLToPath } from 'node:url';
import { CLI_PROGRAM } from '../../core/package-files.ts';

/** What DAGMan calls after each attempt. */
export const POST_PROGRAM = fileURLToPath(CLI_PROGRAM);
