import { onSqlite } from './engine-world.ts';
import { leaseBehaviour } from './leases-behaviour.ts';

leaseBehaviour(onSqlite);
