// The custom chunks of a stage on their way to the client: at once, while the stage is still at work, but never through an entry
// that is itself at work.
import { isDataChunk, checkPassedChunks, type Chunk, type PlanEntry } from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import { sendChunks } from './guard-chunks.ts';
import { createOrderedSink, type DataSink } from '../calls/ordered-sink.ts';
import type { Run } from '../state/run-context.ts';

export type StageData = {
  /** @param group the entries that are at work now */
  write(chunks: readonly Chunk[], group: readonly PlanEntry[]): void;
  /** Waits until all chunks are sent. Returns the first interrupt, if any. */
  flush(): Promise<Interrupt | undefined>;
};

export function createStageData(run: Run, sink: DataSink): StageData {
  const out = createOrderedSink(sink);
  let waiting: Chunk[] = [];
  return {
    write(chunks, group) {
      const { runId } = run.ref;
      const data = chunks.filter(isDataChunk).flatMap((chunk) => {
        const passed = checkPassedChunks(runId, [], [chunk]);
        return 'chunks' in passed ? passed.chunks : [];
      });
      if (data.length < chunks.length) {
        const entries = group.map((entry) => entry.entry);
        run.deps.log.warn(
          { runId, entries },
          'custom chunk dropped: its type is not "data-…", or it is nested too deep',
        );
      }
      if (data.length === 0) return;
      // An entry's state is passed to one call at a time: chunks that would pass an entry that is at work wait for it.
      if (group.some(takesDataChunks)) waiting.push(...data);
      else out.send(data);
    },
    flush() {
      if (waiting.length > 0) out.send(waiting);
      waiting = [];
      return out.flush();
    },
  };
}

/** Sends custom chunks through the output chain if a processor requested them, otherwise directly to the client. */
export function createDataSink(run: Run): DataSink {
  const asked = Object.values(run.plan.entries).some(takesDataChunks);
  return async (chunks) => {
    if (asked) return sendChunks(run, chunks);
    run.transcript.append(chunks.filter(isDataChunk));
    return undefined;
  };
}

/** Whether the entry gets custom chunks in the output stream. */
export function takesDataChunks(entry: PlanEntry): boolean {
  return entry.processDataParts && entry.stages.includes('processOutputStream');
}
