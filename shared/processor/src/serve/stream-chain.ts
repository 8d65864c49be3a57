// Links the processors of a session: the last one outputs the pushed chunks. Independent of batches and the bus.
import {
  SESSION_LIMITS,
  narrowInput,
  findReadsAt,
  type CallEntry,
  type Chunk,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { waitAtMost } from '@millrace/bus';
import { createGivenUpError } from './call-stage.ts';
import { createEntryArgs, type CallContext, type EntryArgs } from '../verdict/entry-args.ts';
import { createFailureVerdict, toThrownVerdict } from '../verdict/failure-verdict.ts';
import type { StopError } from '../processor/stop.ts';
import { acceptsDataParts } from '../processor/processor-definition.ts';
import type { HostedEntry } from './hosted-processor.ts';
import { createStreamLink, MARK, type StreamItem, type StreamLink } from '../stream/stream-link.ts';
import { ReadGuard } from '../message-list/read-guard.ts';
import { createList } from './stage-args.ts';

const STAGE = 'processOutputStream';

export type ChainMember = { entry: CallEntry; hosted: HostedEntry };

export type StreamChain = {
  push(chunk: Chunk): void;
  /** Returns the number of processed chunks. */
  countProcessed(): number;
  /** Returns a verdict for each entry, with its state. That of the stopping entry is not `continue`. */
  readVerdicts(): Verdict[];
  readMs(): number[];
  /**
   * Stops the stream from outside. Resolves when the verdicts are final: their states contain no text of the stream.
   */
  requestVerdicts(): Promise<void>;
  close(): void;
};

export type ChainEvents = {
  /** Called for each output chunk. */
  output: (chunk: Chunk) => void;
  /** Called when a chunk is processed: its output is complete. */
  progress: () => void;
  /** Called when a processor stopped the stream. */
  onStopped: () => void;
};

/** `link.push` as a plain function. */
const pushInto = (slot: ChainSlot | undefined) => slot && ((item: StreamItem) => slot.link.push(item));

/** `isWhole`: the state is complete, also after a stop. */
type ChainSlot = { args: EntryArgs; link: StreamLink; giveUp: () => void; isWhole: boolean; stop?: Verdict };

export function createStreamChain(
  members: ChainMember[],
  input: StageInput,
  context: CallContext,
  events: ChainEvents,
): StreamChain {
  let processed = 0;
  let requested: Promise<void> | undefined;
  const atWork = new AbortController();
  const signal = AbortSignal.any([context.signal, atWork.signal]);
  const slots: ChainSlot[] = [];
  const passLast = (item: StreamItem) => {
    if (requested) return;
    if (item !== MARK) return events.output(item);
    processed += 1;
    events.progress();
  };
  // Built from the end, so that each link knows the next one.
  for (const member of members.toReversed()) {
    const next = pushInto(slots[0]) ?? passLast;
    slots.unshift(
      createSlot(member, input, { ...context, signal }, next, (slot) => {
        slot.stop ??= createFailureVerdict(new Error('stopped'));
        void requestVerdicts().then(events.onStopped);
      }),
    );
  }
  const first = pushInto(slots[0]) ?? passLast;
  const cutOff = async () => {
    const others = slots.filter(({ stop }) => !stop);
    const cutting = others.map(async (slot) => {
      slot.isWhole = false;
      slot.isWhole = await slot.link.cutOff();
    });
    // A link that is only on the stack of the stopping one finishes before the next microtask.
    await Promise.resolve();
    if (others.some(({ link }) => link.isBusy())) atWork.abort(new Error('the stream was stopped'));
    await waitAtMost(Promise.all(cutting), SESSION_LIMITS.verdictsWorkMs);
  };
  const requestVerdicts = () => (requested ??= cutOff());
  // Abandons a hanging method. If no method is running, no processor is at fault: the next chunk is rejected.
  const abandon = () => slots.find((slot) => slot.link.isBusy())?.giveUp();
  context.signal.addEventListener('abort', abandon, { once: true });
  return {
    push(chunk) {
      first(chunk);
      first(MARK);
    },
    countProcessed: () => processed,
    readVerdicts: () => slots.map(toVerdict),
    readMs: () => slots.map((slot) => slot.link.readSpentMs()),
    requestVerdicts,
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
  onStopped: (slot: ChainSlot) => void,
): ChainSlot {
  const { definition, processor } = hosted;
  const reads = findReadsAt(definition.reads, STAGE);
  // A batch of chunks behind the answer has the parts of the answer with it.
  const streamParts: Chunk[] = reads.includes('chunks') ? [...(input.chunks ?? [])] : [];
  // A writer's chunks are sent in order and at once, through the later processors.
  const writeFailed = (error: unknown) => slot.link.fail(error);
  // A stop of a running method is read when the method returns; its state is complete then.
  const onStop = (error: StopError) => {
    if (!slot.link.isBusy()) slot.link.fail(error);
  };
  const args = createEntryArgs(
    entry,
    { ...context, write: next },
    { writeFailed, onStop, processor, live: true, codec: definition.stateCodec },
  );
  const shared = {
    ...args.common,
    streamParts,
    messageList: createList(STAGE, narrowInput(input, reads), new ReadGuard(entry.entry, STAGE, reads)),
  };
  const slot: ChainSlot = {
    args,
    isWhole: true,
    giveUp: () => slot.link.fail(createGivenUpError(entry.entry)),
    link: createStreamLink({
      processDataParts: acceptsDataParts(definition, processor),
      mayChange: mayChangeChunks(definition, entry),
      signal: context.signal,
      readStop: args.readStop,
      createGivenUpError: () => createGivenUpError(entry.entry),
      call: (part) => {
        streamParts.push(part);
        return processor.processOutputStream?.({ ...shared, part });
      },
      onItem: next,
      onKept: ({ type }) =>
        args.common.onViolation({
          message: `processOutputStream returned nothing for the chunk "${type}", which cannot be dropped: it passes.`,
          rule: 'chunk-kept',
          strategy: 'warn',
        }),
      onStopped: (error) => {
        slot.stop = toThrownVerdict('processOutputStream', error, args);
        onStopped(slot);
      },
    }),
  };
  return slot;
}

function toVerdict(slot: ChainSlot): Verdict {
  if (slot.stop) return slot.stop;
  try {
    return { type: 'continue', ...slot.args.collectLeftovers(slot.isWhole) };
  } catch (error) {
    return createFailureVerdict(error);
  }
}

/** As in the agent's plan: with the options of the entry, and defaults for the others. */
function mayChangeChunks({ changes, options }: HostedEntry['definition'], entry: CallEntry): boolean {
  const whether = changes?.processOutputStream;
  if (whether === undefined || typeof whether === 'string') return whether !== 'never';
  const parsed: unknown = options.safeParse(entry.options).data;
  const chosen: unknown =
    typeof parsed === 'object' && parsed !== null ? Reflect.get(parsed, whether.option) : undefined;
  return whether.values.some((value) => JSON.stringify(value) === JSON.stringify(chosen));
}
