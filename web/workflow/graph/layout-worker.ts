import { type LayoutInput, layeredLayout } from './layered-layout.ts';

// A thread of its own, so that a page can be scrolled while a graph is laid out.

addEventListener('message', ({ data }: MessageEvent<{ id: number; input: LayoutInput }>) => {
  postMessage({ id: data.id, layout: layeredLayout(data.input) });
});
