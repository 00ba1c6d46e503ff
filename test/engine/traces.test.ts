import { onSqlite } from './engine-world.ts';
import { traceBehaviour } from './traces-behaviour.ts';

traceBehaviour(onSqlite);
