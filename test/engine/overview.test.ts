import { onSqlite } from './engine-world.ts';
import { overviewBehaviour } from './overview-behaviour.ts';

overviewBehaviour(onSqlite);
