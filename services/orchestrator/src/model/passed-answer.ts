// Holds the part of a step's answer that has passed the output chain: its chunks, their places in the run, and the
// partial objects of its text.
import type { Chunk } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { createAnswerBuilder, type AnswerBuilder } from './answer-builder.ts';
import { createPartialJson } from './partial-json.ts';

export type PassedAnswer = {
  /** Records the chunks and publishes them. @throws release-hold-full, message-too-large, model-answer-too-large */
  add(chunks: readonly Chunk[]): void;
  /** Keeps the first `count` chunks and retracts the others, because a moved session produces other output. */
  retractAfter(count: number): void;
  listPassed(): readonly Chunk[];
  getBuilder(): AnswerBuilder;
  /** Returns the released part of the answer. */
  buildReleased(): AnswerBuilder;
};

/** @param isObject the text is the JSON of an object, which is streamed in partial objects */
export function createPassedAnswer(run: Run, messageId: string, isObject: boolean): PassedAnswer {
  let builder = createAnswerBuilder(messageId);
  let objects = isObject ? createObjectPartials(run.ref.runId) : NO_OBJECTS;
  /** Place of each passed chunk in the run. */
  const places: number[] = [];
  return {
    add(chunks) {
      for (const chunk of chunks) builder.add(chunk);
      places.push(...run.transcript.append(chunks));
      const partials = objects.makePartials(chunks);
      // Before the release, partial objects would only repeat the final one.
      if (!isHeld(run)) run.transcript.append(partials);
    },
    retractAfter(count) {
      const from = places[count];
      if (from === undefined) return;
      const kept = builder.listChunks().slice(0, count);
      builder = createAnswerBuilder(messageId);
      for (const chunk of kept) builder.add(chunk);
      places.length = count;
      run.transcript.withdraw(from);
      if (isObject) objects = createObjectPartials(run.ref.runId);
      // The remaining chunks were shown: the next partial object adds to them.
      objects.makePartials(kept);
    },
    listPassed: () => builder.listChunks(),
    getBuilder: () => builder,
    buildReleased() {
      const released = createAnswerBuilder(messageId);
      const end = run.transcript.getNextIndex();
      for (const [at, chunk] of builder.listChunks().entries()) {
        const place = places[at];
        // The transcript has refused a chunk without a place.
        if (place === undefined || place >= end) break;
        released.add(chunk);
      }
      return released;
    },
  };
}

/** Returns whether the overlapping group has not passed yet. */
const isHeld = ({ overlap }: Run): boolean => overlap.isPending() && !overlap.isDecided();

/** Each partial object repeats the object so far: longer answers have none. UTF-16 code units. */
const MAX_CHARS = 32 * 1024;
/**
 * Minimum growth between two partial objects: bounds their total size to a multiple of the object, however small its
 * pieces are.
 */
const GROWS_BY = 1 / 64;

type ObjectPartials = {
  /** Returns the partial objects to publish after these chunks, if they have changed the object. */
  makePartials(chunks: readonly Chunk[]): Chunk[];
};

export function createObjectPartials(runId: string): ObjectPartials {
  const partial = createPartialJson();
  let chars = 0;
  let last = '';
  let nextAt = 0;
  return {
    makePartials(chunks) {
      const text = chunks.map((one) => (one.type === 'text-delta' ? one.payload.text : '')).join('');
      chars += text.length;
      if (text === '' || chars > MAX_CHARS) return [];
      partial.add(text);
      if (chars < nextAt) return [];
      nextAt = chars * (1 + GROWS_BY);
      const object = partial.readValue();
      const written = JSON.stringify(object);
      if (object === undefined || written === last) return [];
      last = written;
      return [{ type: 'object', runId, from: 'AGENT', object }];
    },
  };
}

/** For an answer that is released only after it was judged as a whole, or that is no object. */
const NO_OBJECTS: ObjectPartials = { makePartials: () => [] };
