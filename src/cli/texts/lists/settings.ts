import type { SettingOrigin } from '../../config/resolve-settings.ts';
import { SETTINGS } from '../../config/settings.ts';
import type { TextStyle } from '../../terminal/text-style.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from './list-table.ts';

export const settingsView: View<SettingOrigin[]> = {
  json: (origins) => origins,
  table: settingsTable,
  quiet: (origins) => origins.map(({ key }) => key),
};

function settingsTable(origins: SettingOrigin[], style: TextStyle): string[] {
  const columns: Column<SettingOrigin>[] = [
    { title: 'KEY', value: ({ key }) => key },
    { title: 'VALUE', value: ({ key, value }) => SETTINGS[key].show(value as never), shrink: 'end' },
    {
      title: 'ORIGIN',
      value: ({ origin, source }) => (source === null ? origin : `${origin} ${source}`),
      shrink: 'middle',
      style: ({ origin }) => (origin === 'default' ? 'dim' : undefined),
    },
  ];
  return listTable(columns, origins, style, '');
}
