// Sends chunks of running processors and tools to the run's stream: `writer.custom()`.
import { MillraceError, findTypeProblem, findUnserializable, type Chunk, type RunRef } from '@millrace/contracts';
import type { CustomChunk, StreamWriter } from '../processor/processor.ts';

/** Detects whether a handler was attached: `await`, `then` and `catch` all call `then`. */
class SendPromise extends Promise<void> {
  waitedFor = false;

  // Derived promises are plain promises.
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
 * @param write sends a chunk at once; `custom` rejects with its errors
 * @param onFailed receives errors without a handler, and fails the call: an unhandled rejection would end the process
 * with all of its calls
 */
export function createStreamWriter(
  run: RunRef,
  write: (chunk: Chunk) => void,
  onFailed: (error: unknown) => void,
): StreamWriter {
  return {
    custom(chunk) {
      const sent = new SendPromise((resolve) => {
        write(buildCustomChunk(chunk, run));
        resolve();
      });
      void Promise.prototype.then.call(sent, undefined, (error: unknown) => {
        if (!sent.waitedFor) onFailed(error);
      });
      return sent;
    },
  };
}

/** @throws message-invalid if the type has another form than `data-…`; not-json */
function buildCustomChunk(chunk: CustomChunk, run: RunRef): Chunk {
  if (!chunk.type.startsWith('data-')) {
    throw new MillraceError(
      'message-invalid',
      `writer.custom() takes chunks whose type starts with "data-", not "${chunk.type}".`,
    );
  }
  const problem = findTypeProblem(chunk.type);
  if (problem !== undefined) {
    throw new MillraceError('message-invalid', `writer.custom() does not take the type "${chunk.type}": ${problem}.`);
  }
  const broken = findUnserializable(chunk, 'chunk');
  if (broken !== undefined) {
    throw new MillraceError('not-json', `The chunk for writer.custom() has a value at ${broken} that is not JSON.`, {
      path: broken,
    });
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a data chunk is one of the "other" types of the schema
  return { from: 'AGENT', ...chunk, runId: run.runId } as unknown as Chunk;
}
