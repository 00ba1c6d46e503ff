import { onSqlite } from './engine-world.ts';
import { pauseBehaviour } from './pause-behaviour.ts';

pauseBehaviour(onSqlite);
