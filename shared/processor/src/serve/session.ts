// The replica's end of stream sessions: batches in, batches out, numbered both ways. Output goes at once when the input is used
// up, and otherwise when it has been held for a millisecond; a session that falls silent is dropped, one that has a gap is lost.
import {
  SESSION_LIMITS,
  isDataChunk,
  type Chunk,
  type SessionInput,
  type SessionOpen,
  type Verdict,
} from '@millrace/contracts';
import { publish, publishInBatches, type Bus } from '@millrace/bus';
import { createUnchangedChunks } from './unchanged-chunks.ts';
import { failureVerdict } from '../verdict/failure-verdict.ts';
import type { StreamChain } from '../stream/stream-chain.ts';

export type HostedSession = {
  receive(input: SessionInput): void;
  /** Called twice a second by the host: sends a sign of life, or drops a silent session. */
  heartbeat(now: number): void;
  /** What came for the session does not fit: it ends, and says so. */
  refuse(why: string): void;
  /** Says that this replica is stopping; the session is served on. */
  leave(): void;
  /** Ends it, and says why. */
  lose(why: string): void;
  /** Ends it without a word. */
  drop(): void;
  /** Whether who asks for this session is the one that has opened it. */
  isOf(open: SessionOpen): boolean;
};

export type SessionOptions = {
  bus: Bus;
  open: SessionOpen;
  createChain: (events: { output: (chunk: Chunk) => void; progress: () => void; stopped: () => void }) => StreamChain;
  /** Called once, when the session is over. */
  closed: () => void;
};

export function createSession({ bus, open, createChain, closed }: SessionOptions): HostedSession {
  const { session } = open;
  const out = bus.subjects.out(open.orchestrator, session);
  const chain = createChain({ output, progress, stopped: finish });
  const unchanged = open.same === true ? createUnchangedChunks() : undefined;
  let outgoing: Chunk[] = [];
  let received = 0;
  let nextIn = 0;
  let nextOut = 0;
  let told = 0;
  let ending = false;
  let closing = false;
  let telling = false;
  let over = false;
  let holding: NodeJS.Timeout | undefined;
  let lastIn = performance.now();
  let lastOut = lastIn;

  function output(chunk: Chunk) {
    if (telling) return;
    const isNamed = outgoing.length === 0 && unchanged?.isNext(chunk, chain.processed()) === true;
    if (!isNamed) outgoing.push(chunk);
    if (outgoing.length >= SESSION_LIMITS.batchChunks || isDataChunk(chunk)) send();
    else holding ??= setTimeout(send, SESSION_LIMITS.holdMs);
  }
  function progress() {
    if (over || telling || chain.processed() < received) return;
    if (ending) finish();
    else send();
  }
  function send(end?: { verdicts: Verdict[]; ms: number[] }) {
    clearTimeout(holding);
    holding = undefined;
    if (over) return;
    const chunks = outgoing;
    const same = unchanged?.take();
    outgoing = [];
    lastOut = performance.now();
    let heads = 0;
    // What is processed is told with the last of what came of it.
    const processed = chain.processed();
    const head = (last: boolean) => ({
      session,
      ...(heads === 0 && same && { same }),
      sequence: nextOut + heads++,
      processed: last ? processed : told,
      ...(closing && { closing }),
      ...(last && end),
    });
    try {
      publishInBatches(bus, out, chunks, SESSION_LIMITS.maxBatchBytes, head);
      nextOut += heads;
      told = processed;
    } catch (error) {
      // Something that is too large, or not JSON. The batch that took the last number did not leave.
      nextOut += Math.max(0, heads - 1);
      fail(failureVerdict(error));
    }
  }
  function finish() {
    if (over) return;
    send({ verdicts: chain.verdicts(), ms: chain.ms() });
    end();
  }
  /** Nobody wants what came of it: what the processors keep and have found is all that is said. */
  function tell() {
    telling = true;
    outgoing = [];
    unchanged?.take();
    void chain.tell().then(finish);
  }
  function fail(verdict: Verdict) {
    if (over) return;
    const ms = chain.ms();
    end();
    // By its code: what a processor threw may quote what the user or the model said.
    const code = verdict.type === 'failure' ? verdict.code : verdict.type;
    bus.log.warn({ session, run: open.run.runId, code }, 'a session failed');
    publish(bus, out, {
      session,
      sequence: nextOut++,
      processed: chain.processed(),
      chunks: [],
      verdicts: ms.map(() => verdict),
      ms,
    });
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
      if (input.sequence !== nextIn) {
        return fail(lost(`Batch ${nextIn} of the session was lost, ${input.sequence} came.`));
      }
      const inFlight = received + input.chunks.length - chain.processed();
      if (inFlight > SESSION_LIMITS.windowChunks) return fail(overfull(inFlight));
      nextIn += 1;
      lastIn = performance.now();
      received += input.chunks.length;
      unchanged?.came(input.chunks, chain.processed());
      if (input.tell) return tell();
      ending ||= input.end === true;
      for (const chunk of input.chunks) chain.push(chunk);
      if (ending) progress();
    },
    refuse: (why) => fail(invalid(why)),
    heartbeat(now) {
      if (now - lastIn > SESSION_LIMITS.silenceMs) return end();
      if (now - lastOut >= SESSION_LIMITS.heartbeatMs / 2) send();
    },
    leave() {
      closing = true;
      send();
    },
    lose: (why) => fail(lost(why)),
    drop: end,
    isOf: (other) => askerOf(other) === askerOf(open),
  };
}

const askerOf = ({ orchestrator, run }: SessionOpen): string =>
  [orchestrator, run.tenant, run.runId, run.epoch].join('.');

function invalid(message: string): Verdict {
  return { type: 'failure', code: 'message-invalid', message, retryable: false };
}

/** They wait in memory: whoever sends on without waiting must not fill it. */
function overfull(inFlight: number): Verdict {
  const message = `${inFlight} chunks of the session would be in flight, and ${SESSION_LIMITS.windowChunks} is the most.`;
  return invalid(`${message} Send more when \`processed\` has advanced.`);
}

function lost(message: string): Verdict {
  return { type: 'failure', code: 'session-lost', message, retryable: true };
}
