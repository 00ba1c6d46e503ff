import { dagRunsBehaviour } from './dag-runs-behaviour.ts';
import { onSqlite } from './engine-world.ts';

dagRunsBehaviour(onSqlite);
