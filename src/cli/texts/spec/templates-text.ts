import type { SpecTemplate } from '../../templates/templates.ts';
import type { View } from '../../terminal/view.ts';

export const templatesView: View<readonly SpecTemplate[]> = {
  json: (templates) => templates.map(({ name, about }) => ({ name, about })),
  table: (templates) => {
    const width = Math.max(...templates.map(({ name }) => name.length)) + 2;
    return templates.map(({ name, about }) => `${name.padEnd(width)}${about}`);
  },
  quiet: (templates) => templates.map(({ name }) => name),
};
