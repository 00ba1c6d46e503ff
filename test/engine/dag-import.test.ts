import { dagImportBehaviour } from './dag-import-behaviour.ts';
import { onSqlite } from './engine-world.ts';

dagImportBehaviour(onSqlite);
