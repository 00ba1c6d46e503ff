import type { View } from '../terminal/view.ts';

/** The version that a database has been brought to. */
export const schemaVersionView: View<{ schema_version: number }> = {
  json: (facts) => facts,
  table: ({ schema_version }) => [`the database has schema version ${schema_version}`],
  quiet: ({ schema_version }) => [String(schema_version)],
};
