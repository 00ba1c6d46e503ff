import { onSqlite } from './engine-world.ts';
import { updateBehaviour } from './update-behaviour.ts';
import { updateItemsBehaviour } from './update-items-behaviour.ts';
import { updateTextsBehaviour } from './update-texts-behaviour.ts';

updateBehaviour(onSqlite);
updateTextsBehaviour(onSqlite);
updateItemsBehaviour(onSqlite);
