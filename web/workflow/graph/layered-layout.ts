/** What is placed: so many boxes of one size, and which must be left of which. */
export interface LayoutInput {
  nodes: number;
  edges: readonly { from: number; to: number }[];
  box: { width: number; height: number };
}

export interface Layout {
  width: number;
  height: number;
  /** The upper left corner of each box. */
  places: { x: number; y: number }[];
  /** For each edge the points that its line goes through; null: within one box. */
  lines: ({ x: number; y: number }[] | null)[];
}

const COLUMN_GAP = 72;
const ROW_GAP = 18;
/** The height of a line that passes between boxes. */
const PASSING = 10;
const SWEEPS = 8;
/** Above this many places where lines pass, long lines are drawn straight. */
const MOST_PASSING = 10_000;

/** A box, or a place where a line passes a column. */
interface Cell {
  rank: number;
  height: number;
  before: number[];
  after: number[];
  y: number;
}

/**
 * Boxes in columns, each to the right of everything it waits for, ordered so that few lines cross. It is a pure function,
 * which a web worker calls.
 */
export function layeredLayout({ nodes, edges, box }: LayoutInput): Layout {
  const forward = withoutCycles(nodes, edges);
  const ranks = ranksOf(nodes, forward);
  const cells: Cell[] = ranks.map((rank) => ({ rank, height: box.height, before: [], after: [], y: 0 }));
  const link = (from: number, to: number) => {
    cells[from]!.after.push(to);
    cells[to]!.before.push(from);
  };
  const length = forward.reduce((sum, { from, to }) => sum + ranks[to]! - ranks[from]! - 1, 0);
  const chains = new Map<string, number[]>();
  for (const { from, to } of forward) {
    const chain = [from];
    for (let rank = ranks[from]! + 1; rank < ranks[to]! && length <= MOST_PASSING; rank += 1) {
      chain.push(cells.push({ rank, height: PASSING, before: [], after: [], y: 0 }) - 1);
    }
    chain.push(to);
    for (let index = 1; index < chain.length; index += 1) link(chain[index - 1]!, chain[index]!);
    chains.set(`${from},${to}`, chain);
  }
  const columns = columnsOf(cells);
  placeRows(cells, columns);

  const step = box.width + COLUMN_GAP;
  const lines = edges.map(({ from, to }) => {
    if (from === to) return null;
    const chain = chains.get(`${from},${to}`) ?? chains.get(`${to},${from}`)?.toReversed() ?? [from, to];
    return lineOf(chain, cells, from, to, step, box.width);
  });
  return {
    width: Math.max(1, columns.length) * step - COLUMN_GAP,
    height: Math.max(box.height, ...cells.map(({ y, height }) => y + height)),
    places: cells.slice(0, nodes).map(({ rank, y }) => ({ x: rank * step, y })),
    lines,
  };
}

function lineOf(chain: number[], cells: Cell[], from: number, to: number, step: number, width: number) {
  return chain.flatMap((index) => {
    const { rank, y, height } = cells[index]!;
    const [left, right, middle] = [rank * step, rank * step + width, y + height / 2];
    if (index === from) return [{ x: cells[to]!.rank >= rank ? right : left, y: middle }];
    if (index === to) return [{ x: cells[from]!.rank <= rank ? left : right, y: middle }];
    return [
      { x: left, y: middle },
      { x: right, y: middle },
    ];
  });
}

/** Edges turned so that none leads back, each pair once; those within one box are left out. */
function withoutCycles(nodes: number, edges: LayoutInput['edges']): { from: number; to: number }[] {
  const next: number[][] = Array.from({ length: nodes }, () => []);
  for (const { from, to } of edges) if (from !== to) next[from]!.push(to);
  const state = new Uint8Array(nodes);
  const found = new Map<string, { from: number; to: number }>();
  const add = (from: number, to: number) => found.set(`${from},${to}`, { from, to });
  for (let root = 0; root < nodes; root += 1) {
    if (state[root] !== 0) continue;
    const path: { node: number; at: number }[] = [{ node: root, at: 0 }];
    state[root] = 1;
    while (path.length > 0) {
      const top = path.at(-1)!;
      const to = next[top.node]![top.at];
      top.at += 1;
      if (to === undefined) {
        state[top.node] = 2;
        path.pop();
      } else if (state[to] === 1) add(to, top.node);
      else {
        add(top.node, to);
        if (state[to] === 0) {
          state[to] = 1;
          path.push({ node: to, at: 0 });
        }
      }
    }
  }
  return [...found.values()];
}

/** The longest way from a box that waits for nothing. */
function ranksOf(nodes: number, edges: readonly { from: number; to: number }[]): number[] {
  const open = new Array<number>(nodes).fill(0);
  const next: number[][] = open.map(() => []);
  for (const { from, to } of edges) {
    open[to]! += 1;
    next[from]!.push(to);
  }
  const ranks = new Array<number>(nodes).fill(0);
  const ready = open.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const to of next[node]!) {
      ranks[to] = Math.max(ranks[to]!, ranks[node]! + 1);
      open[to]! -= 1;
      if (open[to] === 0) ready.push(to);
    }
  }
  return ranks;
}

/** Cells by rank, each column ordered by where its neighbours are, from left to right and back again. */
function columnsOf(cells: Cell[]): number[][] {
  const columns: number[][] = [];
  for (const [index, { rank }] of cells.entries()) {
    columns[rank] ??= [];
    columns[rank].push(index);
  }
  const position = new Float64Array(cells.length);
  const number = (column: number[]) => {
    for (const [at, index] of column.entries()) position[index] = at;
  };
  for (const column of columns) number(column);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const side = sweep % 2 === 0 ? 'before' : 'after';
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const wanted = new Map(
        column.map((index) => [index, mean(cells[index]![side], position) ?? position[index]!]),
      );
      column.sort((a, b) => wanted.get(a)! - wanted.get(b)! || position[a]! - position[b]!);
      number(column);
    }
  }
  return columns;
}

function mean(indexes: readonly number[], values: Float64Array): number | null {
  if (indexes.length === 0) return null;
  return indexes.reduce((sum, index) => sum + values[index]!, 0) / indexes.length;
}

/** Rows in the order of the columns, as near to their neighbours as there is room. */
function placeRows(cells: Cell[], columns: number[][]): void {
  const middles = new Float64Array(cells.length);
  const place = (column: number[], side: 'before' | 'after' | null) => {
    let below = 0;
    for (const index of column) {
      const cell = cells[index]!;
      const wanted = side === null ? null : mean(cell[side], middles);
      cell.y = Math.max(below, wanted === null ? below : wanted - cell.height / 2);
      below = cell.y + cell.height + ROW_GAP;
      middles[index] = cell.y + cell.height / 2;
    }
  };
  for (const column of columns) place(column, null);
  for (const column of columns) place(column, 'before');
  for (const column of columns.toReversed()) place(column, 'after');
  for (const column of columns) place(column, 'before');
  const top = Math.min(...cells.map(({ y }) => y));
  if (Number.isFinite(top)) for (const cell of cells) cell.y -= top;
}
