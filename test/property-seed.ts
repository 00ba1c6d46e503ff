import fc from 'fast-check';
import { FACTOR } from './property-runs.ts';

/**
 * The normal run plays the same courses each time, so that a change passes or fails for what it changes. A longer run
 * plays new ones; each failure names its seed.
 */
if (FACTOR === 1) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_117 });
