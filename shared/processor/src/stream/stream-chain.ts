// The processors of a session, linked: what is pushed in comes out of the last one. Knows nothing of batches or the bus.
import {
  SESSION_LIMITS,
  narrowInput,
  readsAt,
  type CallEntry,
  type Chunk,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { within } from '@millrace/bus';
import { givenUp } from '../serve/call-stage.ts';
import { createEntryArgs, type CallContext, type EntryArgs } from '../entry-args.ts';
import { failureVerdict, thrownVerdict } from '../verdict/failure-verdict.ts';
import { takesDataParts } from '../processor-definition.ts';
import type { Hosted } from '../serve/hosted-processor.ts';
import { createStreamLink, MARK, type StreamItem, type StreamLink } from './stream-link.ts';
import { ReadGuard } from '../serve/read-guard.ts';
import { createList } from '../serve/stage-args.ts';

const STAGE = 'processOutputStream';

export type ChainMember = { entry: CallEntry; hosted: Hosted };

export type StreamChain = {
  push(chunk: Chunk): void;
  /** How many of the pushed chunks are done with. */
  processed(): number;
  /** A verdict for each entry, its state inside. The one that stopped is not `continue`. */
  verdicts(): Verdict[];
  ms(): number[];
  /** The stream was stopped elsewhere. Resolves when the verdicts say what can be said of it: their states hold nothing of its text. */
  tell(): Promise<void>;
  close(): void;
};

export type ChainEvents = {
  /** A chunk came out. */
  output: (chunk: Chunk) => void;
  /** Something is done: output may be complete. */
  progress: () => void;
  /** A processor stopped the stream. */
  stopped: () => void;
};

/** `link.push` as a plain function. */
const pushInto = (slot: Slot | undefined) => slot && ((item: StreamItem) => slot.link.push(item));

/** `isWhole`: its state is not half of what a stopped stream has left behind. */
type Slot = { args: EntryArgs; link: StreamLink; giveUp: () => void; isWhole: boolean; stop?: Verdict };

export function createStreamChain(
  members: ChainMember[],
  input: StageInput,
  context: CallContext,
  events: ChainEvents,
): StreamChain {
  let processed = 0;
  let telling: Promise<void> | undefined;
  const atWork = new AbortController();
  const signal = AbortSignal.any([context.signal, atWork.signal]);
  const slots: Slot[] = [];
  const last = (item: StreamItem) => {
    if (telling) return;
    if (item !== MARK) return events.output(item);
    processed += 1;
    events.progress();
  };
  // Built from the end, so that each link knows the next one.
  for (const member of members.toReversed()) {
    const next = pushInto(slots[0]) ?? last;
    slots.unshift(
      createSlot(member, input, { ...context, signal }, next, (slot) => {
        slot.stop ??= failureVerdict(new Error('stopped'));
        void tell().then(events.stopped);
      }),
    );
  }
  const first = pushInto(slots[0]) ?? last;
  const cutOff = async () => {
    const others = slots.filter(({ stop }) => !stop);
    const cutting = others.map(async (slot) => {
      slot.isWhole = false;
      slot.isWhole = await slot.link.cutOff();
    });
    // Who is only on the stack of the one that stopped is done by the next turn.
    await Promise.resolve();
    if (others.some(({ link }) => link.busy())) atWork.abort(new Error('the stream was stopped'));
    await within(Promise.all(cutting), SESSION_LIMITS.tellWorkMs);
  };
  const tell = () => (telling ??= cutOff());
  // A method that hangs is not waited for. Where none is at work there is nobody to blame: the next chunk is refused.
  const abandon = () => slots.find((slot) => slot.link.busy())?.giveUp();
  context.signal.addEventListener('abort', abandon, { once: true });
  return {
    push(chunk) {
      first(chunk);
      first(MARK);
    },
    processed: () => processed,
    verdicts: () => slots.map(verdictOf),
    ms: () => slots.map((slot) => slot.link.spentMs()),
    tell,
    close() {
      context.signal.removeEventListener('abort', abandon);
      for (const slot of slots) slot.link.close();
    },
  };
}

function createSlot(
  { entry, hosted }: ChainMember,
  input: StageInput,
  context: CallContext,
  next: (item: StreamItem) => void,
  stopped: (slot: Slot) => void,
): Slot {
  const { definition, processor } = hosted;
  const reads = readsAt(definition.reads, STAGE);
  const streamParts: Chunk[] = [];
  // What a writer sends goes to the client in place and at once, through the later processors.
  const writeFailed = (error: unknown) => slot.link.fail(error);
  const args = createEntryArgs(
    entry,
    { ...context, write: next },
    { writeFailed, processor, live: true, codec: definition.stateCodec },
  );
  const shared = {
    ...args.common,
    streamParts,
    messageList: createList(STAGE, narrowInput(input, reads), new ReadGuard(entry.entry, STAGE, reads)),
  };
  const slot: Slot = {
    args,
    isWhole: true,
    giveUp: () => slot.link.fail(givenUp(entry.entry)),
    link: createStreamLink({
      processDataParts: takesDataParts(definition, processor),
      mayChange: mayChangeChunks(definition, entry),
      signal: context.signal,
      givenUp: () => givenUp(entry.entry),
      call: (part) => {
        streamParts.push(part);
        return processor.processOutputStream?.({ ...shared, part });
      },
      next,
      stopped: (error) => {
        slot.stop = thrownVerdict('processOutputStream', error, args);
        stopped(slot);
      },
    }),
  };
  return slot;
}

function verdictOf(slot: Slot): Verdict {
  if (slot.stop) return slot.stop;
  try {
    return { type: 'continue', ...slot.args.leftovers(slot.isWhole) };
  } catch (error) {
    return failureVerdict(error);
  }
}

/** As the agent's plan has it: with the options of the entry, and the defaults of the others. */
function mayChangeChunks({ changes, options }: Hosted['definition'], entry: CallEntry): boolean {
  const whether = changes?.processOutputStream;
  if (whether === undefined || typeof whether === 'string') return whether !== 'never';
  const parsed: unknown = options.safeParse(entry.options).data;
  const chosen: unknown =
    typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, whether.option) : undefined;
  return whether.values.some((value) => JSON.stringify(value) === JSON.stringify(chosen));
}
