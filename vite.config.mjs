import tailwind from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { licences } from './build-licences.mjs';

/** Where `npx vite` finds a server while pages are written. */
const SERVER = 'http://127.0.0.1:7600';

export default defineConfig({
  root: 'web',
  plugins: [react(), tailwind(), licences],
  build: {
    outDir: '../dist/web',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'es2022',
    reportCompressedSize: false,
  },
  worker: { format: 'es' },
  server: { proxy: { '/api': { target: SERVER, changeOrigin: true } } },
});
