// Cost of reading one answer of the model without a run: directly, alternating with the AI SDK alone, in the process of
// the bench.
import { createModels } from '@millrace/testkit/bench';
import type { BenchContext, Measure } from '../bench-context.ts';
import { DELTAS, median, prose, makeScript } from '../load.ts';
import { round, row } from '../measure.ts';

const AT_ONCE = 16;
const ROUNDS = 7;

type StreamModels = ReturnType<typeof createModels>;
type StreamReading = { joinsDeltas: boolean; input: string; total: number };
let calls = 0;

async function readOne(models: StreamModels, { joinsDeltas, input }: StreamReading): Promise<number> {
  const model = models.createLanguageModel('openai-chat/stand-in', { joinsDeltas });
  const headers = { 'X-Client-Request-Id': `bench-${calls++}.1` };
  const { stream } = await model.doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: input }] }],
    headers,
  });
  const reader = stream.getReader();
  let text = '';
  let parts = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    parts += 1;
    if (read.value.type === 'text-delta') text += read.value.delta;
  }
  if (text !== prose()) throw new Error(`the model gave another text: ${text}`);
  return parts;
}

/** Milliseconds of processor time per answer, and its parts. */
async function costOfReading({ stack }: BenchContext, reading: StreamReading) {
  const models = createModels({ apiKey: 'stand-in', baseUrl: stack.modelUrl });
  let left = reading.total;
  let parts = 0;
  const worker = async () => {
    while (left-- > 0) {
      const read = await readOne(models, reading);
      parts += read;
    }
  };
  const before = process.cpuUsage();
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const { user, system } = process.cpuUsage(before);
  return { ms: (user + system) / 1_000 / reading.total, parts: parts / reading.total };
}

/** @param everyMs delay between two pieces */
export function modelStream(name: string, everyMs: number): Measure {
  return async (context) => {
    const reading = { input: makeScript(everyMs), total: everyMs > 0 ? 64 : 256 };
    const rounds = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      const direct = await costOfReading(context, { ...reading, joinsDeltas: true });
      rounds.push({ direct, sdk: await costOfReading(context, { ...reading, joinsDeltas: false }) });
    }
    const direct = median(rounds.map((one) => one.direct.ms));
    const sdk = median(rounds.map((one) => one.sdk.ms));
    const parts = median(rounds.map((one) => one.direct.parts));
    return row(name, 'ms of processor time an answer', direct, sdk, { deltas: DELTAS, everyMs, parts: round(parts) });
  };
}
