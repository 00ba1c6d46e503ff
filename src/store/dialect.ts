/** Where the databases must differ, SQL asks which one it is written for. */
export type Dialect = 'sqlite' | 'postgres';
