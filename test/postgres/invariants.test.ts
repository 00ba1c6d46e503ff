import { invariants } from '../engine/invariants.ts';
import { requestsProperty } from '../engine/requests-property.ts';
import { routingInvariants } from '../engine/routing-invariants.ts';
import { staticRoutes } from '../engine/routing-reference.ts';
import { onPostgres } from './on-postgres.ts';

// The logic is the same as on SQLite, where there are many more runs: what can differ is the SQL.
invariants(onPostgres, 4);
routingInvariants(onPostgres, 3);
staticRoutes(onPostgres, 8);
requestsProperty(onPostgres, 6);
