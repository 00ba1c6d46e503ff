import { onSqlite } from './engine-world.ts';
import { invariants } from './invariants.ts';

invariants(onSqlite, 80);
