import { allocationProperty } from './allocations-property.ts';
import { onSqlite } from './engine-world.ts';

allocationProperty(onSqlite, 150);
