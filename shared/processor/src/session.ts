// The replica's end of stream sessions: batches in, batches out, numbered both ways. Output goes at once when the input is used
// up, and otherwise when it has been held for a millisecond; a session that falls silent or has a gap is dropped.
import {
  SESSION_LIMITS,
  isDataChunk,
  type Chunk,
  type SessionInput,
  type SessionOpen,
  type Verdict,
} from '@millrace/contracts';
import { publishInBatches, type Bus } from '@millrace/bus';
import type { StreamChain } from './stream-chain.ts';

export type HostedSession = {
  receive(input: SessionInput): void;
  /** Called twice a second by the host: sends a sign of life, or drops a silent session. */
  beat(now: number): void;
  end(): void;
};

export type SessionOptions = {
  bus: Bus;
  open: SessionOpen;
  createChain: (events: { output: (chunk: Chunk) => void; progress: () => void; stopped: () => void }) => StreamChain;
  /** Called once, when the session is over. */
  closed: () => void;
};

export function createSession({ bus, open, createChain, closed }: SessionOptions): HostedSession {
  const { session, out } = open;
  const chain = createChain({ output, progress, stopped: finish });
  let outgoing: Chunk[] = [];
  let received = 0;
  let nextIn = 0;
  let nextOut = 0;
  let ending = false;
  let over = false;
  let holding: NodeJS.Timeout | undefined;
  let lastIn = Date.now();
  let lastOut = Date.now();

  function output(chunk: Chunk) {
    outgoing.push(chunk);
    if (outgoing.length >= SESSION_LIMITS.batchChunks || isDataChunk(chunk)) send();
    else holding ??= setTimeout(send, SESSION_LIMITS.holdMs);
  }
  function progress() {
    if (over || chain.done() < received) return;
    if (ending) finish();
    else send();
  }
  function send(end?: { verdicts: Verdict[]; ms: number[] }) {
    clearTimeout(holding);
    holding = undefined;
    if (over) return;
    const chunks = outgoing;
    outgoing = [];
    lastOut = Date.now();
    const head = (last: boolean) => ({ session, n: nextOut++, done: chain.done(), ...(last && end) });
    publishInBatches(bus, out, chunks, SESSION_LIMITS.maxBatchBytes, head);
  }
  function finish(verdicts: Verdict[] = chain.verdicts()) {
    if (over) return;
    try {
      send({ verdicts, ms: chain.ms() });
    } catch (error) {
      bus.log.error({ session, error: String(error) }, 'a session could not be answered');
    }
    end();
  }
  function end() {
    if (over) return;
    over = true;
    clearTimeout(holding);
    chain.close();
    closed();
  }
  return {
    receive(input) {
      if (over) return;
      if (input.drop) return end();
      if (input.n !== nextIn) return finish(lost(open, nextIn, input.n));
      nextIn += 1;
      lastIn = Date.now();
      received += input.chunks.length;
      ending ||= input.end === true;
      for (const chunk of input.chunks) chain.push(chunk);
      if (ending) progress();
    },
    beat(now) {
      if (now - lastIn > SESSION_LIMITS.silenceMs) return end();
      if (now - lastOut >= SESSION_LIMITS.heartbeatMs / 2) send();
    },
    end,
  };
}

function lost(open: SessionOpen, expected: number, got: number): Verdict[] {
  const message = `Batch ${expected} of the session was lost, ${got} came.`;
  return open.entries.map((): Verdict => ({ type: 'failure', code: 'session-lost', message, retryable: true }));
}
