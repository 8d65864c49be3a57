// What processors and tools put into the run's stream while they work: `writer.custom()`.
import { MillraceError, findUnserializable, type Chunk, type RunRef } from '@millrace/contracts';
import type { CustomChunk, StreamWriter } from '../processor.ts';

/** Knows whether anybody has asked for its outcome: `await`, `then` and `catch` all go through `then`. */
class SendPromise extends Promise<void> {
  waitedFor = false;

  // What follows from it is a plain promise.
  static override get [Symbol.species]() {
    return Promise;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- a promise has this method; here it also takes note
  override then<A = void, B = never>(
    fulfilled?: ((value: void) => A | PromiseLike<A>) | null,
    rejected?: ((reason: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B> {
    this.waitedFor = true;
    return super.then(fulfilled, rejected);
  }
}

/**
 * @param write sends a chunk at once; what it throws is what `custom` rejects with
 * @param failed is told of a failure that nobody waits for, and fails the call: a rejection that nobody handles would end the
 * process, and all other calls in it
 */
export function createStreamWriter(
  run: RunRef,
  write: (chunk: Chunk) => void,
  failed: (error: unknown) => void,
): StreamWriter {
  return {
    custom(chunk) {
      const sent = new SendPromise((resolve) => {
        write(customChunk(chunk, run));
        resolve();
      });
      void Promise.prototype.then.call(sent, undefined, (error: unknown) => {
        if (!sent.waitedFor) failed(error);
      });
      return sent;
    },
  };
}

/** @throws message-invalid when the type does not begin with `data-`; not-json */
function customChunk(chunk: CustomChunk, run: RunRef): Chunk {
  if (!chunk.type.startsWith('data-')) {
    throw new MillraceError(
      'message-invalid',
      `writer.custom() takes chunks whose type starts with "data-", not "${chunk.type}".`,
    );
  }
  const broken = findUnserializable(chunk, 'chunk');
  if (broken !== undefined) {
    throw new MillraceError('not-json', `writer.custom() was given something at ${broken} that is not JSON.`, {
      path: broken,
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a data chunk is one of the "other" types of the schema
  return { from: 'AGENT', ...chunk, runId: run.runId } as unknown as Chunk;
}
