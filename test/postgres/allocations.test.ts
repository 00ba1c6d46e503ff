import { allocationBehaviour } from '../engine/allocations-behaviour.ts';
import { allocationProperty } from '../engine/allocations-property.ts';
import { onPostgres } from './on-postgres.ts';

allocationBehaviour(onPostgres);
allocationProperty(onPostgres, 10);
