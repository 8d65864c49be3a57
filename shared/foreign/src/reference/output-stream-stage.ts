// processOutputStream of a foreign processor: it returns one chunk for one, and puts what is to come next into its state. That is fed to it
// again at once, and what comes of it stands in the chunk's place as well: so nothing waits for a chunk that may not come.
import { MillraceError } from '@millrace/contracts';
import type { ProcessOutputStreamArgs } from '@millrace/processor';
import { createForeignCall, type Foreign, type ForeignCall, type StageBridge } from './foreign-call.ts';

/** Where the reference looks for a part that is to be processed next. */
const REPROCESS_KEY = '__mastraReprocessPart';
/** In place of one chunk: a processor that puts the same part back for ever must end. */
const MAX_REPROCESSED = 1_000;

export function outputStreamStage(foreign: Foreign): Pick<StageBridge, 'processOutputStream'> {
  /** By the list of parts, which lasts as long as the stream. */
  const calls = new WeakMap<object, ForeignCall>();
  const callOf = (args: ProcessOutputStreamArgs): ForeignCall => {
    const known = calls.get(args.streamParts);
    if (known) return known;
    const call = createForeignCall(foreign, args, args.messageList);
    calls.set(args.streamParts, call);
    return call;
  };
  return {
    async processOutputStream(args) {
      const { state, streamParts } = args;
      const call = callOf(args);
      const out: unknown[] = [];
      let part: unknown = args.part;
      for (let count = 0; part; count += 1) {
        if (count > MAX_REPROCESSED) throw endless();
        const result = await call.method('processOutputStream', { part, streamParts });
        if (result !== null && result !== undefined) out.push(result);
        part = Reflect.get(state, REPROCESS_KEY);
        Reflect.deleteProperty(state, REPROCESS_KEY);
      }
      // As a list: what was edited in place is then checked like any other chunk. Nothing leaves what may not be dropped where it is.
      return out.length > 0 ? out : null;
    },
  };
}

function endless(): MillraceError {
  return new MillraceError('processor-failed', `A part was put back more than ${MAX_REPROCESSED} times.`, {
    remedy: `Set state.${REPROCESS_KEY} only to what is to come next.`,
  });
}
