import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { BATCH, type FuzzFigures, KINDS, runInputs } from './run-inputs.ts';

const USAGE = `npm run fuzz -- --inputs N [--seed S] [--from N]

Gives specs, requests and exchanges of workers that nobody meant to the readers and to a server, and looks for crashes,
hangs, answers with 500 and memory that grows. A failure names the input; --from repeats its batch of ${BATCH}. Exits
with 1 after a failure.`;

/** Processor time that one input may take; time on the clock passes on a busy machine without any work. */
const HANG_MS = 20_000;
/** An input that waits for something that never comes takes no processor time. */
const SILENCE_MS = 300_000;
const MEMORY_MB = 768;
/** Inputs leave much behind that dies young: fewer collections, and a tenth less processor time. */
const YOUNG_MB = 64;
/** Inputs of one thread; a new one shows whether the memory of the process grows. */
const SLICE = BATCH;
const ROOT = fileURLToPath(new URL('../..', import.meta.url));

interface Slice {
  seed: number;
  from: number;
  inputs: number;
  /** Number and kind of the input under way. */
  current: Int32Array;
}

if (isMainThread) {
  try {
    process.exitCode = await main();
  } catch (error) {
    console.error(`error: ${(error as Error).message}\n\n${USAGE}`);
    process.exitCode = 2;
  }
} else {
  const { seed, from, inputs, current } = workerData as Slice;
  const begin = (number: number, kind: (typeof KINDS)[number]) => {
    Atomics.store(current, 1, KINDS.indexOf(kind));
    Atomics.store(current, 0, number);
  };
  parentPort!.postMessage(await runInputs({ seed, from, inputs, root: ROOT, begin }));
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      inputs: { type: 'string', default: '100000' },
      seed: { type: 'string', default: String((Date.now() % 1_000_000) + 1) },
      from: { type: 'string', default: '0' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  const [inputs, seed, from] = [values.inputs, values.seed, values.from].map((text) => {
    if (!/^\d+$/.test(text)) throw new Error(`not a whole number: ${text}`);
    return Number(text);
  }) as [number, number, number];
  console.log(`seed ${seed}`);
  const began = performance.now();
  const counts: Record<string, number> = {};
  let failures = 0;
  let slowest: FuzzFigures['slowest'] = { ms: 0, number: 0, kind: null };
  for (let next = from; next < from + inputs; next += SLICE) {
    const slice = { seed, from: next, inputs: Math.min(SLICE, from + inputs - next) };
    const figures = await watch(slice);
    for (const [kind, count] of Object.entries(figures.counts)) counts[kind] = (counts[kind] ?? 0) + count;
    if (figures.slowest.ms > slowest.ms) slowest = figures.slowest;
    failures += figures.failures.length;
    for (const { number, kind, problem } of figures.failures) {
      console.log(
        `FAILURE (seed ${seed}, input ${number}, ${kind}; --from ${number - (number % BATCH)}): ${problem}`,
      );
    }
    const done = next + slice.inputs - from;
    const passed = (performance.now() - began) / 1000;
    const megabytes = process.memoryUsage.rss() >> 20;
    console.log(
      `${done} inputs, ${(done / passed).toFixed(0)} a second, ${failures} failures, ${megabytes} MB`,
    );
  }
  for (const [kind, count] of Object.entries(counts))
    console.log(`${kind.padEnd(22)}${String(count).padStart(10)}`);
  console.log(`slowest: ${slowest.ms.toFixed(0)} ms, input ${slowest.number}, ${slowest.kind}`);
  return failures > 0 ? 1 : 0;
}

/** Runs a slice in a thread, and sees from outside whether it hangs, crashes or takes too much memory. */
function watch(slice: Omit<Slice, 'current'>): Promise<FuzzFigures> {
  const current = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(new URL(import.meta.url), {
    workerData: { ...slice, current },
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MB },
  });
  const where = () => {
    const number = Atomics.load(current, 0);
    return `seed ${slice.seed}, input ${number}, ${KINDS[Atomics.load(current, 1)]}; --from ${number - (number % BATCH)}`;
  };
  return new Promise((resolve, reject) => {
    let last = { number: -1, at: 0, busyMs: 0 };
    const look = setInterval(() => {
      const number = Atomics.load(current, 0);
      const now = { number, at: performance.now(), busyMs: busyMs() };
      if (number !== last.number) last = now;
      else if (now.busyMs - last.busyMs > HANG_MS || now.at - last.at > SILENCE_MS) {
        fail(
          `no end after ${seconds(now.at - last.at)} s, ${seconds(now.busyMs - last.busyMs)} s of them busy`,
        );
        void worker.terminate();
      }
    }, 500);
    const fail = (text: string) => {
      clearInterval(look);
      reject(new Error(`${text} (${where()})`));
    };
    worker.once('message', (figures: FuzzFigures) => {
      clearInterval(look);
      resolve(figures);
    });
    worker.once('error', (error) => fail(`crash: ${error.stack}`));
    worker.once('exit', () => fail('the thread ended'));
  });
}

function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const seconds = (ms: number) => (ms / 1000).toFixed(0);
