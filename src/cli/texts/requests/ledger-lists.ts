import type { ItemRecord, UnitRecord } from '../../../contract/records/request.ts';
import type { Column } from '../../terminal/text-table.ts';
import type { View } from '../../terminal/view.ts';
import { listTable } from '../lists/list-table.ts';

export const unitsView: View<UnitRecord[]> = {
  json: (units) => units,
  table: (units, style) => {
    const columns: Column<UnitRecord>[] = [
      { title: 'UNIT', value: ({ number }) => number, align: 'right' },
      { title: 'ROUND', value: ({ round }) => round, align: 'right' },
      {
        title: 'STATE',
        value: ({ state }) => state,
        style: ({ state }) => (state === 'failed' ? 'red' : undefined),
      },
      { title: 'FIRST', value: ({ first }) => first, align: 'right' },
      { title: 'LAST', value: ({ last }) => last, align: 'right' },
      { title: 'SIZE', value: ({ size }) => size, align: 'right' },
      { title: 'OUTPUTS', value: ({ outputs }) => outputs.join(' ') || null, shrink: 'middle' },
    ];
    return listTable(columns, units, style, 'no units');
  },
  quiet: (units) => units.map(({ number }) => number),
};

export const itemsView: View<ItemRecord[]> = {
  json: (items) => items,
  table: (items, style) => {
    const columns: Column<ItemRecord>[] = [
      { title: 'ITEM', value: ({ path }) => path, shrink: 'middle' },
      {
        title: 'STATE',
        value: ({ state }) => state,
        style: ({ state }) => (state === 'excluded' ? 'red' : undefined),
      },
      { title: 'GROUP', value: ({ group }) => group },
      { title: 'UNIT', value: ({ unit }) => unit, align: 'right' },
      { title: 'REASON', value: ({ reason }) => reason, shrink: 'end' },
    ];
    return listTable(columns, items, style, 'no items');
  },
  quiet: (items) => items.map(({ path }) => path),
};
