// Runs processOutputStream of a foreign processor: it returns one chunk for one, and puts further chunks into its
// state. Those are fed to it again at once, and their output follows the chunk, so no output waits for a later chunk.
import { MillraceError } from '@millrace/contracts';
import type { ProcessOutputStreamArgs } from '@millrace/processor';
import { createForeignCall, type Foreign, type ForeignCall, type StageBridge } from './foreign-call.ts';

/** State member in which the reference stores the part for reprocessing. */
const REPROCESS_KEY = '__mastraReprocessPart';
/** In place of one chunk: a processor that puts the same part back for ever must end. */
const MAX_REPROCESSED = 1_000;

export function createOutputStreamStage(foreign: Foreign): Pick<StageBridge, 'processOutputStream'> {
  /** By the list of parts, which lasts as long as the stream. */
  const calls = new WeakMap<object, ForeignCall>();
  const buildForeignCall = (args: ProcessOutputStreamArgs): ForeignCall => {
    const known = calls.get(args.streamParts);
    if (known) return known;
    const call = createForeignCall(foreign, args, args.messageList);
    calls.set(args.streamParts, call);
    return call;
  };
  return {
    async processOutputStream(args) {
      const { state, streamParts } = args;
      const call = buildForeignCall(args);
      const out: unknown[] = [];
      let part: unknown = args.part;
      for (let count = 0; part; count += 1) {
        if (count > MAX_REPROCESSED) throw createEndlessError();
        const result = await call.callMethod('processOutputStream', { part, streamParts });
        if (result !== null && result !== undefined) out.push(result);
        part = Reflect.get(state, REPROCESS_KEY);
        Reflect.deleteProperty(state, REPROCESS_KEY);
      }
      // As a list, so that an in-place edit is validated like any other chunk. An undroppable chunk is kept.
      return out.length > 0 ? out : null;
    },
  };
}

function createEndlessError(): MillraceError {
  return new MillraceError('processor-failed', `A part was put back more than ${MAX_REPROCESSED} times.`, {
    remedy: `Set state.${REPROCESS_KEY} only to the next part.`,
  });
}
