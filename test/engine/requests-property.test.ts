import { onSqlite } from './engine-world.ts';
import { requestsProperty } from './requests-property.ts';

requestsProperty(onSqlite, 200);
