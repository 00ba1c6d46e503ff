import { dagImportBehaviour } from '../engine/dag-import-behaviour.ts';
import { onPostgres } from './on-postgres.ts';

dagImportBehaviour(onPostgres);
