import { onSqlite } from './engine-world.ts';
import { outputsBehaviour } from './outputs-behaviour.ts';

outputsBehaviour(onSqlite);
