import { onSqlite } from './engine-world.ts';
import { fileMarksBehaviour } from './file-marks-behaviour.ts';

fileMarksBehaviour(onSqlite);
