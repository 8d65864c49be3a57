// The replica's end of a stream session, played by a test: it sees the received batches and sends those of the test.
import {
  SESSION_LIMITS,
  sessionInputSchema,
  type Chunk,
  type SessionInput,
  type SessionOutput,
  type Verdict,
} from '@millrace/contracts';
import { advertise, listen, publish, type Bus } from '@millrace/bus';
import type { TestBus } from '@millrace/testkit';
import { onTestFinished } from 'vitest';
import { connectSession, type SessionEnd } from '../sessions/session-client.ts';
import { createSessionInbox } from '../peers/session-inbox.ts';
import { delta } from './chunks.ts';
import { RUN_ID } from './run-states.ts';

export type PlayedSession = ReturnType<typeof playSession>;

/** Both ends of one session. @param bus the orchestrator's, @param replica the replica's connection */
function playSession(bus: Bus, replica: Bus, { timeoutMs = 5_000, mayChange = true }) {
  const inbox = createSessionInbox(bus);
  const {
    client,
    session,
    handleOpened: opened,
    start,
  } = connectSession({
    bus,
    inbox,
    runId: RUN_ID,
    timeoutMs,
    mayChange: [mayChange],
  });
  const out = bus.subjects.out(bus.id, session);
  const subject = bus.subjects.session('guards', replica.id, session);
  const inputs: SessionInput[] = [];
  const output: Chunk[] = [];
  const ends: SessionEnd[] = [];
  let countAdvances = 0;
  let next = 0;
  const listening = listen(replica, subject, sessionInputSchema, (input) => inputs.push(input));
  // Answers pings, however silent the session is.
  const leave = advertise(replica, { name: 'guards', version: '1.0.0', description: 'played', endpoints: () => [] });
  const send = (more: Partial<SessionOutput>) =>
    publish(replica, out, { session, sequence: next++, processed: awaitReceived().length, chunks: [], ...more });
  const awaitReceived = () => inputs.flatMap(({ chunks }) => chunks);
  return {
    client,
    session,
    out,
    inputs,
    output,
    ends,
    received: awaitReceived,
    advanced: () => countAdvances,
    send,
    answer: (chunks: Chunk[]) => send({ chunks }),
    finish: (verdicts: Verdict[] = [{ type: 'continue' }]) => send({ verdicts, ms: verdicts.map(() => 1) }),
    /** Its heartbeats, as its inbox would send them. */
    sendHeartbeats: (): (() => void) => {
      const timer = setInterval(() => send({}), SESSION_LIMITS.heartbeatMs / 2);
      return () => clearInterval(timer);
    },
    /** The replica has answered the open. */
    opened: () => opened({ opened: true, replica: replica.id, service: 'guards', served: 1 }),
    start: () =>
      start({
        output: (chunks) => void output.push(...chunks),
        onEnded: (end) => void ends.push(end),
        onAdvanced: () => void (countAdvances += 1),
      }),
    /** Everything that either end has sent has arrived. */
    settle: async () => {
      await replica.nc.flush();
      await bus.nc.flush();
    },
    /** The replica has left the bus. */
    leave,
    stop: () => {
      leave();
      client.drop();
      listening.stop();
      inbox.stop();
    },
  };
}

export type PlaySession = (options?: {
  timeoutMs?: number;
  started?: boolean;
  mayChange?: boolean;
}) => Promise<PlayedSession>;

/** Call it after useBus. The sessions end with their test. */
export function usePlayedSessions(connection: TestBus): PlaySession {
  return async ({ started = true, ...more } = {}) => {
    const replica = await connection.connect({ name: 'guards' });
    const made = playSession(connection.bus, replica, more);
    onTestFinished(made.stop);
    made.opened();
    if (started) made.start();
    await Promise.all([connection.bus.nc.flush(), replica.nc.flush()]);
    return made;
  };
}

export const words = (count: number, from = 0): Chunk[] =>
  Array.from({ length: count }, (_, at) => delta(`${from + at} `));
