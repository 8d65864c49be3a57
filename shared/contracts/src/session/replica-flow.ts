// The replica's end of a stream session, as a pure reducer: the numbers of batches, the window, and when the session ends. It counts chunks
// and never looks at one; the driver feeds the processors and performs the effects.
import { SESSION_LIMITS } from './session.ts';
import { isHeartbeatDue, isSilent, openLine, receiveOn, sendOn, type SessionLine } from './session-line.ts';

export type ReplicaFlow = {
  /**
   * streaming: chunks arrive. ending: no more arrive; the session ends when all are processed. telling: the stream was stopped, and the
   * caller waits for the verdicts alone. ended: nothing counts any more.
   */
  phase: 'streaming' | 'ending' | 'telling' | 'ended';
  line: SessionLine;
  /** Chunks that have arrived. */
  received: number;
  processed: number;
  /** As the caller knows it. */
  reported: number;
};

export type ReplicaEvent =
  | {
      type: 'received';
      sequence: number;
      count: number;
      isEnd: boolean;
      isStop: boolean;
      isDrop: boolean;
      at: number;
    }
  /** Processors are done with chunks; `processed` counts all of them. */
  | { type: 'progress'; processed: number }
  /** A processor stopped the stream, or the processors of a stopped stream have been asked for their states. */
  | { type: 'finish' }
  /** Messages have left; the last one reported `processed`. */
  | { type: 'sent'; batches: number; processed: number; at: number }
  | { type: 'tick'; at: number }
  /** The session fails; a failure verdict for each entry has left, or the caller wants none. */
  | { type: 'closed' };

export type ReplicaEffect =
  /** Chunks are given to the processors. */
  | { type: 'accept' }
  /** Output leaves now, with the count of processed chunks. */
  | { type: 'send' }
  /** The verdicts leave, and the session closes. */
  | { type: 'finish' }
  /** The processors are asked for their states; nothing else leaves. */
  | { type: 'ask-states' }
  | { type: 'fail'; code: 'session-lost' | 'message-invalid'; message: string }
  | { type: 'close' };

export type ReplicaStep = { flow: ReplicaFlow; effects: readonly ReplicaEffect[] };

export const openReplicaFlow = (at: number): ReplicaFlow => ({
  phase: 'streaming',
  line: openLine(at),
  received: 0,
  processed: 0,
  reported: 0,
});

export function reduceReplica(flow: ReplicaFlow, event: ReplicaEvent): ReplicaStep {
  if (flow.phase === 'ended') return keep(flow);
  switch (event.type) {
    case 'received':
      return receive(flow, event);
    case 'progress':
      return advanceFlow({ ...flow, processed: event.processed });
    case 'finish':
      return { flow, effects: [{ type: 'finish' }] };
    case 'sent':
      return keep({ ...flow, line: sendOn(flow.line, event.batches, event.at), reported: event.processed });
    case 'tick':
      if (isSilent(flow.line, event.at)) return close(flow);
      return isHeartbeatDue(flow.line, event.at) ? { flow, effects: [{ type: 'send' }] } : keep(flow);
    case 'closed':
      return keep({ ...flow, phase: 'ended' });
  }
}

const keep = (flow: ReplicaFlow): ReplicaStep => ({ flow, effects: [] });
const close = (flow: ReplicaFlow): ReplicaStep => ({ flow: { ...flow, phase: 'ended' }, effects: [{ type: 'close' }] });

function receive(flow: ReplicaFlow, batch: Extract<ReplicaEvent, { type: 'received' }>): ReplicaStep {
  const { sequence, count, isEnd, isStop, isDrop, at } = batch;
  if (isDrop) return close(flow);
  const line = receiveOn(flow.line, sequence, at);
  if (!line) {
    const message = `Batch ${flow.line.nextIn} of the session was lost, ${sequence} arrived.`;
    return { flow, effects: [{ type: 'fail', code: 'session-lost', message }] };
  }
  const received = flow.received + count;
  const inFlight = received - flow.processed;
  if (inFlight > SESSION_LIMITS.windowChunks) return { flow, effects: [createOverfullEffect(inFlight)] };
  const next = { ...flow, line, received };
  if (isStop) return { flow: { ...next, phase: 'telling' }, effects: [{ type: 'ask-states' }] };
  if (flow.phase === 'telling') return keep(next);
  if (!isEnd && flow.phase !== 'ending') return { flow: next, effects: [{ type: 'accept' }] };
  const ending: ReplicaFlow = { ...next, phase: 'ending' };
  // A session without chunks in flight ends at once; otherwise with the progress of its last chunk.
  const isDone = ending.processed === ending.received;
  return { flow: ending, effects: [{ type: 'accept' }, ...(isDone ? [{ type: 'finish' as const }] : [])] };
}

/** Output leaves when the input is used up: batches of a busy stream are not cut into single chunks. */
function advanceFlow(flow: ReplicaFlow): ReplicaStep {
  if (flow.phase === 'telling' || flow.processed < flow.received) return keep(flow);
  return { flow, effects: [{ type: flow.phase === 'ending' ? 'finish' : 'send' }] };
}

/** The chunks wait in memory: a caller that sends on without waiting must not fill it. */
function createOverfullEffect(inFlight: number): ReplicaEffect {
  const { windowChunks } = SESSION_LIMITS;
  const message = `${inFlight} chunks of the session would be in flight; at most ${windowChunks} may be.`;
  return { type: 'fail', code: 'message-invalid', message: `${message} Send more when \`processed\` has advanced.` };
}
