import { onSqlite } from './engine-world.ts';
import { housekeepingBehaviour } from './housekeeping-behaviour.ts';

housekeepingBehaviour(onSqlite);
