import { onSqlite } from './engine-world.ts';
import { routingInvariants } from './routing-invariants.ts';

routingInvariants(onSqlite, 60);
