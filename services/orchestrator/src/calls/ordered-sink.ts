// Sends chunks that arrive during other work, one batch after the other. No promise floats: a verdict of the output
// stream's processors, or a failure, is an interrupt that `flush` returns.
import type { Chunk } from '@millrace/contracts';
import { toBrokenEnding, type Interrupt } from '../state/interrupt.ts';

/** Receives custom chunks. */
export type DataSink = (chunks: Chunk[]) => Promise<Interrupt | undefined>;

export type OrderedSink = {
  send(chunks: Chunk[]): void;
  /** Waits until all chunks are sent or dropped. Returns the first interrupt, if any; nothing is sent after it. */
  flush(): Promise<Interrupt | undefined>;
};

/** @param onStopped called once, with the first interrupt */
export function createOrderedSink(sink: DataSink, onStopped: () => void = () => undefined): OrderedSink {
  let sending: Promise<Interrupt | undefined> = Promise.resolve(undefined);
  const sendNext = async (chunks: Chunk[]): Promise<Interrupt | undefined> => {
    const interrupt = await sink(chunks).catch(toBrokenEnding);
    if (interrupt) onStopped();
    return interrupt;
  };
  return {
    send(chunks) {
      sending = sending.then((interrupt) => interrupt ?? sendNext(chunks));
    },
    flush: () => sending,
  };
}
