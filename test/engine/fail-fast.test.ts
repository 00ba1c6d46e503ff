import { onSqlite } from './engine-world.ts';
import { failFastBehaviour } from './fail-fast-behaviour.ts';

failFastBehaviour(onSqlite);
