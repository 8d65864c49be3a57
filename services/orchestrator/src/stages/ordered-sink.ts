// Chunks that come by themselves, while something else is waited for, on their way out one after the other. Nothing of it floats:
// what the output stream's processors say of them, and what breaks on the way, is an interrupt that `flush` gives.
import type { Chunk } from '@millrace/contracts';
import { brokenBy, endWith, type Interrupt } from '../state/interrupt.ts';

/** Where custom chunks go. */
export type DataSink = (chunks: Chunk[]) => Promise<Interrupt | undefined>;

export type OrderedSink = {
  send(chunks: Chunk[]): void;
  /** Everything so far is out, or will never be. The first interrupt, if there was one; nothing is sent after it. */
  flush(): Promise<Interrupt | undefined>;
};

/** @param stopped called once, with the first interrupt */
export function createOrderedSink(sink: DataSink, stopped: () => void = () => undefined): OrderedSink {
  let sending: Promise<Interrupt | undefined> = Promise.resolve(undefined);
  const sendNext = async (chunks: Chunk[]): Promise<Interrupt | undefined> => {
    const interrupt = await sink(chunks).catch((error: unknown) => endWith(brokenBy(error)));
    if (interrupt) stopped();
    return interrupt;
  };
  return {
    send(chunks) {
      sending = sending.then((interrupt) => interrupt ?? sendNext(chunks));
    },
    flush: () => sending,
  };
}
