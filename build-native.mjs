import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PREBUILDS = 'node_modules/@photostructure/sqlite/prebuilds';
const WASM = 'node_modules/@jitl/quickjs-wasmfile-release-sync/dist/emscripten-module.wasm';

/** Copies what bundled packages load from beside them: the SQLite of Linux and macOS, and QuickJS. */
export const nativeFiles = {
  name: 'native-files',
  generateBundle() {
    const emit = (fileName, path) => this.emitFile({ type: 'asset', fileName, source: readFileSync(path) });
    emit('emscripten-module.wasm', WASM);
    for (const platform of readdirSync(PREBUILDS).filter((name) => /^(?:linux|darwin)-/.test(name))) {
      for (const file of readdirSync(join(PREBUILDS, platform))) {
        emit(`prebuilds/${platform}/${file}`, join(PREBUILDS, platform, file));
      }
    }
  },
};
