// Runs the replica's end of one stream session: drives the reducer of the protocol (replica-flow) with the bus, the
// clock and the processors. Output is sent when the input is used up, otherwise after a delay of one millisecond.
import {
  SESSION_LIMITS,
  isDataChunk,
  openReplicaFlow,
  reduceReplica,
  type Chunk,
  type ReplicaEffect,
  type ReplicaEvent,
  type ReplicaFlow,
  type SessionInput,
  type SessionOpen,
  type Verdict,
} from '@millrace/contracts';
import { publish, publishInBatches, type Bus } from '@millrace/bus';
import { createUnchangedChunks, type UnchangedChunks } from './unchanged-chunks.ts';
import { createFailureVerdict } from '../verdict/failure-verdict.ts';
import type { StreamChain } from './stream-chain.ts';

export type HostedSession = {
  receive(input: SessionInput): void;
  /** Called twice a second by the host: sends a heartbeat, or drops a silent session. */
  sendHeartbeat(now: number): void;
  /** Fails the session because a batch for it does not fit. */
  refuse(why: string): void;
  /** Fails the session as lost. */
  lose(why: string): void;
  /** Ends the session without an answer. */
  drop(): void;
  /** Returns true if the caller of `open` has opened this session. */
  belongsTo(open: SessionOpen): boolean;
};

export type SessionOptions = {
  bus: Bus;
  open: SessionOpen;
  createChain: (events: { output: (chunk: Chunk) => void; progress: () => void; onStopped: () => void }) => StreamChain;
  /** Called once, when the session is over. */
  onClosed: () => void;
};

/** One session: the reducer's state, and everything that its effects work on. */
type SessionHosted = {
  readonly bus: Bus;
  readonly open: SessionOpen;
  readonly chain: StreamChain;
  readonly unchanged: UnchangedChunks | undefined;
  readonly onClosed: () => void;
  /** Output that is not sent. */
  readonly outgoing: Chunk[];
  flow: ReplicaFlow;
  /** Chunks of the batch that is being received. */
  arrived: readonly Chunk[];
  holding?: NodeJS.Timeout | undefined;
  isClosed: boolean;
};

export function createSession({ bus, open, createChain, onClosed: closed }: SessionOptions): HostedSession {
  const chain = createChain({
    output: (chunk) => output(hosted, chunk),
    progress: () => dispatch(hosted, { type: 'progress', processed: chain.countProcessed() }),
    onStopped: () => dispatch(hosted, { type: 'finish' }),
  });
  const hosted: SessionHosted = {
    bus,
    open,
    chain,
    unchanged: open.same === true ? createUnchangedChunks() : undefined,
    onClosed: closed,
    outgoing: [],
    flow: openReplicaFlow(performance.now()),
    arrived: [],
    isClosed: false,
  };
  return {
    receive({ sequence, chunks, end: isEnd = false, tell: isStop = false, drop: isDrop = false }) {
      hosted.arrived = chunks;
      const at = performance.now();
      dispatch(hosted, { type: 'received', sequence, count: chunks.length, isEnd, isStop, isDrop, at });
    },
    refuse: (why) => fail(hosted, createSessionFailure('message-invalid', why)),
    sendHeartbeat: (at) => dispatch(hosted, { type: 'tick', at }),
    lose: (why) => fail(hosted, createSessionFailure('session-lost', why)),
    drop: () => close(hosted),
    belongsTo: (other) => buildOwnerKey(other) === buildOwnerKey(open),
  };
}

function dispatch(hosted: SessionHosted, event: ReplicaEvent): void {
  const { flow, effects } = reduceReplica(hosted.flow, event);
  hosted.flow = flow;
  for (const effect of effects) perform(hosted, effect);
}

function perform(hosted: SessionHosted, effect: ReplicaEffect): void {
  const { chain, outgoing, unchanged } = hosted;
  switch (effect.type) {
    case 'accept':
      return accept(hosted);
    case 'send':
      return send(hosted);
    case 'finish':
      send(hosted, { verdicts: chain.readVerdicts(), ms: chain.readMs() });
      return close(hosted);
    case 'ask-states':
      outgoing.length = 0;
      unchanged?.take();
      return void chain.requestVerdicts().then(() => dispatch(hosted, { type: 'finish' }));
    case 'fail':
      return fail(hosted, createSessionFailure(effect.code, effect.message));
    case 'close':
      return close(hosted);
  }
}

function accept(hosted: SessionHosted): void {
  const { chain, unchanged, arrived } = hosted;
  hosted.arrived = [];
  unchanged?.record(arrived, chain.countProcessed());
  for (const chunk of arrived) chain.push(chunk);
}

function output(hosted: SessionHosted, chunk: Chunk): void {
  const { chain, outgoing, unchanged, flow } = hosted;
  if (flow.phase === 'telling' || flow.phase === 'ended') return;
  const isNamed = outgoing.length === 0 && unchanged?.isNext(chunk, chain.countProcessed()) === true;
  if (!isNamed) outgoing.push(chunk);
  if (outgoing.length >= SESSION_LIMITS.batchChunks || isDataChunk(chunk)) send(hosted);
  else hosted.holding ??= setTimeout(() => send(hosted), SESSION_LIMITS.holdMs);
}

function send(hosted: SessionHosted, ending?: { verdicts: Verdict[]; ms: number[] }): void {
  const { bus, open, chain, outgoing, unchanged, flow } = hosted;
  clearTimeout(hosted.holding);
  hosted.holding = undefined;
  if (flow.phase === 'ended') return;
  const { session, orchestrator } = open;
  const same = unchanged?.take();
  const processed = chain.countProcessed();
  let batches = 0;
  // The last batch reports the processed chunks, because their output is complete with it.
  const buildHead = (last: boolean) => ({
    session,
    ...(batches === 0 && same && { same }),
    sequence: flow.line.nextOut + batches++,
    processed: last ? processed : flow.reported,
    ...(last && ending),
  });
  const countUnreported = (reported: number) =>
    dispatch(hosted, { type: 'sent', batches, processed: reported, at: performance.now() });
  try {
    const subject = bus.subjects.out(orchestrator, session);
    publishInBatches(bus, subject, outgoing.splice(0), SESSION_LIMITS.maxBatchBytes, buildHead);
    countUnreported(processed);
  } catch (error) {
    // A chunk that is too large, or no JSON: the batch that took the last number did not leave.
    batches = Math.max(0, batches - 1);
    countUnreported(flow.reported);
    fail(hosted, createFailureVerdict(error));
  }
}

function fail(hosted: SessionHosted, verdict: Verdict): void {
  const { bus, open, chain, flow } = hosted;
  if (flow.phase === 'ended') return;
  const { session, orchestrator, run } = open;
  const ms = chain.readMs();
  const processed = chain.countProcessed();
  close(hosted);
  // Logs the code alone, because the message of a processor may quote the user or the model.
  const code = verdict.type === 'failure' ? verdict.code : verdict.type;
  bus.log.warn({ session, run: run.runId, code }, 'session failed');
  const verdicts = ms.map(() => verdict);
  const batch = { session, sequence: flow.line.nextOut, processed, chunks: [], verdicts, ms };
  publish(bus, bus.subjects.out(orchestrator, session), batch);
}

function close(hosted: SessionHosted): void {
  if (hosted.isClosed) return;
  hosted.isClosed = true;
  dispatch(hosted, { type: 'closed' });
  clearTimeout(hosted.holding);
  hosted.chain.close();
  hosted.onClosed();
}

const buildOwnerKey = ({ orchestrator, run }: SessionOpen): string =>
  [orchestrator, run.tenant, run.runId, run.epoch].join('.');

/** Another replica may do better with a session that was lost; a batch that does not fit will not fit there either. */
const createSessionFailure = (code: 'session-lost' | 'message-invalid', message: string): Verdict => ({
  type: 'failure',
  code,
  message,
  retryable: code === 'session-lost',
});
