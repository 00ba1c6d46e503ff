/** Text that is markup. Nothing else gets into a page unescaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = Markup | string | number | null | readonly Part[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Markup with values in it. Whatever is no `Markup` is text: its signs are written as entities. */
export function html(pieces: TemplateStringsArray, ...parts: Part[]): Markup {
  return new Markup(
    pieces.map((piece, index) => piece + (index < parts.length ? written(parts[index]!) : '')).join(''),
  );
}

function written(part: Part): string {
  if (part instanceof Markup) return part.text;
  if (Array.isArray(part)) return part.map(written).join('');
  if (part === null) return '';
  return escaped(String(part));
}

function escaped(text: string): string {
  return text.replace(/[&<>"'`]/g, (sign) => ENTITIES[sign]!);
}
