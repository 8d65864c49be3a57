// Reduces the orchestrator's end of a stream session, purely: the window of chunks in flight, the order of batches, the
// end. It counts chunks without reading them; the driver stores the chunks and performs the effects. A violation of the
// protocol ends the session as lost, immediately and once.
import type { ErrorCode } from '../base/error-codes.ts';
import { SESSION_LIMITS } from './session.ts';
import { isHeartbeatDue, isSilent, openLine, receiveOn, sendOn, type SessionLine } from './session-line.ts';

export type CallerFlow = {
  /**
   * opening: the replica has not accepted the session. opened: it has, and the caller does not listen yet; both ends
   * send heartbeats. streaming: chunks flow. telling: the stream was stopped and the caller waits for the verdicts
   * alone. ended: all events are ignored.
   */
  phase: 'opening' | 'opened' | 'streaming' | 'telling' | 'ended';
  line: SessionLine;
  /** Chunks that wait for the window or for more to be sent with. */
  queued: number;
  sent: number;
  /** Chunks that the replica has processed. */
  processed: number;
  /** Time at which `processed` last advanced, or the idle replica received work. */
  advancedAt: number;
  /** The caller pushes nothing more. */
  isEnding: boolean;
  /** Chunks are sent without waiting for more. */
  isHurried: boolean;
  isEndSent: boolean;
  /** Bytes of JSON that the session has sent. */
  bytes: number;
  /** The driver looks whether the replica is on the bus. */
  isPinging: boolean;
};

export type Loss = { code: ErrorCode; message: string };

export type CallerEvent =
  | { type: 'opened'; at: number }
  | { type: 'started' }
  | { type: 'pushed'; count: number }
  | { type: 'end' }
  | { type: 'hurry' }
  /** Sends everything that the window allows. */
  | { type: 'flush'; at: number }
  /** Messages have left. */
  | { type: 'posted'; batches: number; at: number }
  | { type: 'received'; sequence: number; processed: number; bytes: number; hasVerdicts: boolean; at: number }
  /** @param missing a chunk that the session had to pass on and did not */
  | { type: 'verdicts'; count: number; served: number; isStop: boolean; missing?: Loss | undefined }
  | { type: 'tick'; at: number; timeoutMs: number }
  /** The look has ended. `receivedAt`: when it began, the last batch had arrived at that time. */
  | { type: 'pinged'; hasLeft: boolean; receivedAt: number }
  | { type: 'tell' }
  | { type: 'drop' }
  /** A batch that does not fit, a chunk that the session may not send, a message that cannot be sent. */
  | ({ type: 'refused' } & Loss);

export type CallerEffect =
  | { type: 'post'; count: number; end?: true; tell?: true; drop?: true }
  | { type: 'ping'; receivedAt: number }
  | { type: 'lost'; loss: Loss }
  /** The verdicts are final. */
  | { type: 'concluded' };

export type CallerStep = { flow: CallerFlow; effects: readonly CallerEffect[] };

/** Bytes of JSON that a session may send: enough for the longest answer in single characters. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** A replica that has been silent for so long is looked for, because one that has left the bus sends nothing. */
const PING_AFTER_MS = 1_000;

export const openCallerFlow = (at: number): CallerFlow => ({
  phase: 'opening',
  line: openLine(at),
  queued: 0,
  sent: 0,
  processed: 0,
  advancedAt: at,
  isEnding: false,
  isHurried: false,
  isEndSent: false,
  bytes: 0,
  isPinging: false,
});

/** Whether the replica is done with everything that was pushed. */
export const isDrained = ({ queued, sent, processed }: CallerFlow): boolean => queued === 0 && processed === sent;

export function reduceCaller(flow: CallerFlow, event: CallerEvent): CallerStep {
  if (flow.phase === 'ended') return keep(flow);
  switch (event.type) {
    case 'opened':
      return keep({ ...flow, phase: 'opened', line: { ...flow.line, inAt: event.at } });
    case 'started':
      return keep({ ...flow, phase: 'streaming' });
    case 'pushed':
      return keep({ ...flow, queued: flow.queued + event.count });
    case 'end':
      return keep({ ...flow, isEnding: true });
    case 'hurry':
      return keep({ ...flow, isHurried: true });
    case 'flush':
      return flush(flow, event.at);
    case 'posted':
      return keep({ ...flow, line: sendOn(flow.line, event.batches, event.at) });
    case 'received':
      return receive(flow, event);
    case 'verdicts':
      return conclude(flow, event);
    case 'tick':
      return handleTick(flow, event);
    case 'pinged':
      return event.hasLeft && event.receivedAt === flow.line.inAt
        ? lose(flow, 'session-lost', 'The replica went away.')
        : keep({ ...flow, isPinging: false });
    case 'tell':
      return { flow: { ...flow, phase: 'telling' }, effects: [{ type: 'post', count: 0, tell: true }] };
    case 'drop':
      return { flow: { ...flow, phase: 'ended' }, effects: [{ type: 'post', count: 0, drop: true }] };
    case 'refused':
      return lose(flow, event.code, event.message);
  }
}

const keep = (flow: CallerFlow): CallerStep => ({ flow, effects: [] });

function lose(flow: CallerFlow, code: ErrorCode, message: string): CallerStep {
  return {
    flow: { ...flow, phase: 'ended' },
    effects: [
      { type: 'post', count: 0, drop: true },
      { type: 'lost', loss: { code, message } },
    ],
  };
}

/** A batch leaves if nothing is in flight, or enough has gathered, or no more will be pushed; never more than the window has room for. */
function flush(flow: CallerFlow, at: number): CallerStep {
  const { phase, queued, sent, processed, isEnding, isHurried, isEndSent } = flow;
  if (phase !== 'streaming') return keep(flow);
  const isIdle = sent === processed;
  const isDue = isIdle || isEnding || isHurried || queued >= SESSION_LIMITS.batchChunks;
  const count = Math.min(queued, SESSION_LIMITS.windowChunks - (sent - processed));
  if (queued > 0 && (count <= 0 || !isDue)) return keep(flow);
  const isLast = isEnding && count === queued && !isEndSent;
  if (queued === 0 && !isLast) return keep(flow);
  const next = { ...flow, queued: queued - count, sent: sent + count, isEndSent: isEndSent || isLast };
  // The replica's time starts when it gets something to do.
  const advancedAt = isIdle || count === 0 ? at : flow.advancedAt;
  return { flow: { ...next, advancedAt }, effects: [{ type: 'post', count, ...(isLast && { end: true }) }] };
}

function receive(flow: CallerFlow, batch: Extract<CallerEvent, { type: 'received' }>): CallerStep {
  const { sequence, at, hasVerdicts } = batch;
  const bytes = flow.bytes + batch.bytes;
  if (bytes > MAX_OUTPUT_BYTES)
    return lose(flow, 'processor-failed', `More than ${MAX_OUTPUT_BYTES} bytes were sent by the session.`);
  const line = receiveOn(flow.line, sequence, at);
  if (!line) {
    const missing = flow.line.nextIn;
    return lose(flow, 'session-lost', `Batch ${missing} of the session's answers was lost, ${sequence} arrived.`);
  }
  const received = { ...flow, bytes, line };
  if (flow.phase === 'telling') {
    const { maxVerdictsBytes } = SESSION_LIMITS;
    if (!hasVerdicts || batch.bytes <= maxVerdictsBytes) return keep(received);
    const message = `The verdicts and states are ${batch.bytes} bytes; at most ${maxVerdictsBytes} are taken.`;
    return lose(received, 'message-too-large', message);
  }
  // A replica cannot have processed more than it was sent: counting alone must not keep a session alive.
  const processed = Math.min(batch.processed, flow.sent);
  return keep(processed > flow.processed ? { ...received, processed, advancedAt: at } : received);
}

function conclude(flow: CallerFlow, { count, served, isStop, missing }: Extract<CallerEvent, { type: 'verdicts' }>) {
  const { sent, processed, isEndSent } = flow;
  if (count > served)
    return lose(flow, 'processor-verdict-refused', `${count} verdicts arrived for ${served} entries.`);
  if (flow.phase !== 'telling' && !isStop) {
    if (!isEndSent) return lose(flow, 'session-lost', 'The replica ended the session before its end was sent.');
    if (processed < sent)
      return lose(flow, 'session-lost', `The replica ended the session after ${processed} of ${sent} chunks.`);
    if (missing) return lose(flow, missing.code, missing.message);
  }
  return { flow: { ...flow, phase: 'ended' as const }, effects: [{ type: 'concluded' as const }] };
}

function handleTick(flow: CallerFlow, { at, timeoutMs }: Extract<CallerEvent, { type: 'tick' }>): CallerStep {
  const { phase, line, sent, processed, isEndSent, advancedAt, isPinging } = flow;
  if (phase === 'opening') return keep(flow);
  if (isSilent(line, at))
    return lose(flow, 'session-lost', `The replica was silent for ${SESSION_LIMITS.silenceMs} ms.`);
  const isAtWork = sent > processed || isEndSent;
  if (isAtWork && at - advancedAt > timeoutMs)
    return lose(flow, 'processor-timeout', `No chunk was processed within ${timeoutMs} ms.`);
  const mustPing = !isPinging && at - line.inAt > PING_AFTER_MS;
  return {
    flow: mustPing ? { ...flow, isPinging: true } : flow,
    effects: [
      ...(isHeartbeatDue(line, at) ? [{ type: 'post' as const, count: 0 }] : []),
      ...(mustPing ? [{ type: 'ping' as const, receivedAt: line.inAt }] : []),
    ],
  };
}
