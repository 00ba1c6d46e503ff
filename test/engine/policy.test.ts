import { onSqlite } from './engine-world.ts';
import { policyBehaviour } from './policy-behaviour.ts';

policyBehaviour(onSqlite);
