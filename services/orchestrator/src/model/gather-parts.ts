// The parts of a model's stream in batches: a batch holds the parts of one turn of the event loop, with the pieces of a part joined. A batch that
// only continues a part waits for the next tick; the start of a part, calls and ends do not. Reads any provider of the AI SDK.
import type { FlushTick } from '../transcript/flush-tick.ts';
import type { ModelPart } from './prompt.ts';
import { EMPTY_BUFFER, mayWait, reduceBuffer, type BufferEvent } from './piece-buffer.ts';

/** Parts that wait for their reader before the stream is read no further. */
const MAX_WAITING_PARTS = 64;

export type Gathering = {
  /** Whether adjacent pieces of a part become one. */
  joins: boolean;
  /** Absent: no piece waits longer than a turn of the event loop. */
  tick?: FlushTick | undefined;
  /** The interval of the agent's ticks, ms. Absent: it follows the load. */
  everyMs?: number | undefined;
};

/** Ends early if the signal fires: a provider that ignores it is not waited for. @throws as the stream does, behind its last part */
export async function* gatherParts(
  stream: ReadableStream<ModelPart>,
  signal: AbortSignal,
  gathering: Gathering,
): AsyncGenerator<readonly ModelPart[], void> {
  const gathered = createGathered(gathering);
  const reader = stream.getReader();
  const stop = () => {
    gathered.end();
    void reader.cancel().catch(() => undefined);
  };
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  void readAll(reader, gathered);
  try {
    while (!signal.aborted) {
      const batch = await gathered.take();
      if (!batch) return;
      if (batch.length > 0) yield batch;
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
  }
}

async function readAll(reader: ReadableStreamDefaultReader<ModelPart>, gathered: GatheredParts): Promise<void> {
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      gathered.add(read.value);
      await gathered.room();
    }
    gathered.end();
  } catch (error) {
    gathered.end({ error });
  }
}

type GatheredParts = ReturnType<typeof createGathered>;

function createGathered({ joins, tick, everyMs }: Gathering) {
  let buffer = EMPTY_BUFFER;
  let ready: ModelPart[] = [];
  let over: { error?: unknown } | undefined;
  let turn: NodeJS.Immediate | undefined;
  const due = createGate();
  const room = createGate();
  room.open();
  const applyEvent = (event: BufferEvent) => {
    const { buffer: next, passed } = reduceBuffer(buffer, event);
    buffer = next;
    ready.push(...passed);
    if (ready.length >= MAX_WAITING_PARTS) room.close();
  };
  return {
    add(part: ModelPart) {
      applyEvent({ type: 'part', part });
      if (!joins) applyEvent({ type: 'flush' });
      const waited = ready.length === 0 && mayWait(buffer) ? tick?.awaitTick(everyMs) : undefined;
      if (waited) void waited.then(due.open);
      else turn ??= setImmediate(due.open);
    },
    room: room.wait,
    end(failed: { error?: unknown } = {}) {
      over ??= failed;
      due.open();
    },
    /** The next batch, which may be empty. undefined: the stream is over. @throws the error that ended it */
    async take(): Promise<readonly ModelPart[] | undefined> {
      await due.wait();
      clearImmediate(turn);
      turn = undefined;
      applyEvent({ type: 'flush' });
      const batch = ready;
      ready = [];
      room.open();
      if (!over) due.close();
      if (batch.length > 0 || !over) return batch;
      if ('error' in over) throw over.error;
      return undefined;
    },
  };
}

/** Waits pass while it is open. It begins closed. */
function createGate() {
  let gate = Promise.withResolvers<void>();
  let isOpen = false;
  return {
    wait: () => gate.promise,
    open() {
      isOpen = true;
      gate.resolve();
    },
    close() {
      if (isOpen) gate = Promise.withResolvers();
      isOpen = false;
    },
  };
}
