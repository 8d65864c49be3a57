// Checks processOutputStream: it accepts every chunk, drops no undroppable one, and its output does not depend on the
// cuts of a text.
import assert from 'node:assert/strict';
import { chunkSchema, mayBeDropped } from '@millrace/contracts';
import { TEST_RUN, streamedText, textChunks } from '../stages/stage-call.ts';
import { createEmptyInput, buildPlainInput, sampleChunks } from '@millrace/check/plain-turn';
import { assertVerdict } from './stage-checks.ts';
import { stream, type CalledStage, type ConformanceCheck, type Subject } from './subject.ts';

const STAGE = 'processOutputStream';

export const streamChecks: ConformanceCheck[] = [
  {
    name: 'takes a chunk of every type, and lets those through that must stay',
    run: (subject) =>
      forEachStream(subject, async (called, where) => {
        for (const chunk of sampleChunks(TEST_RUN.runId)) {
          const { chunks, verdict } = await stream(subject.definition, called, [chunk]);
          assertVerdict(STAGE, verdict, `${where}, ${chunk.type}`);
          for (const out of chunks)
            assert.ok(chunkSchema.safeParse(out).success, `${where}: no chunk: ${JSON.stringify(out)}`);
          if (verdict?.type !== 'continue' || mayBeDropped(chunk)) continue;
          assert.ok(
            chunks.some(({ type }) => type === chunk.type),
            `${where}: ${chunk.type} was dropped`,
          );
        }
      }),
  },
  {
    name: 'ends an empty stream, and one of a single text, with a verdict',
    run: (subject) =>
      forEachStream(subject, async (called, where) => {
        for (const chunks of [[], textChunks([]), textChunks(['']), textChunks(['Noon.'])]) {
          assertVerdict(STAGE, (await stream(subject.definition, called, chunks)).verdict, where);
        }
      }),
  },
  {
    name: 'has the same result for a text however it is cut into chunks',
    run: (subject) =>
      forEachStream(subject, async (called, where) => {
        for (const text of subject.texts) {
          const whole = await outcome(subject, called, [text]);
          for (const deltas of cuts(text)) {
            const cut = await outcome(subject, called, deltas);
            assert.deepEqual(cut, whole, `${where}: ${JSON.stringify(deltas)} comes to another end than in one piece`);
          }
        }
      }),
  },
];

async function forEachStream(
  subject: Subject,
  run: (called: CalledStage, where: string) => Promise<void>,
): Promise<void> {
  if (!subject.definition.stages.includes(STAGE)) return;
  for (const options of subject.options) {
    for (const input of [buildPlainInput(STAGE), createEmptyInput(STAGE)]) {
      await run({ options, input }, `${STAGE} with ${JSON.stringify({ options, input })}`);
    }
  }
}

/** The output of a stopped stream depends on the cut: only the stop is compared. */
async function outcome({ definition }: Subject, called: CalledStage, deltas: string[]): Promise<object> {
  const { chunks, verdict } = await stream(definition, called, textChunks(deltas));
  return verdict?.type === 'continue'
    ? { verdict: 'continue', text: streamedText(chunks) }
    : { verdict: verdict?.type };
}

/** In two at every place, in threes, and letter by letter. UTF-16 code units: a model's chunks may part a pair. */
function cuts(text: string): string[][] {
  const places = Array.from({ length: text.length + 1 }, (_, at) => at);
  const inTwo = places.map((at) => [text.slice(0, at), text.slice(at)]);
  const pieces = (length: number) => places.filter((at) => at % length === 0).map((at) => text.slice(at, at + length));
  return [...inTwo, pieces(1), pieces(3), pieces(7)];
}
