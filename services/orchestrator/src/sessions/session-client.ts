// The orchestrator's end of one stream session: drives the reducer of the protocol (caller-flow) with the bus, the clock and the chunks.
import {
  MillraceError,
  SESSION_LIMITS,
  isDrained,
  openCallerFlow,
  reduceCaller,
  type CallerEffect,
  type CallerEvent,
  type Chunk,
  type Loss,
  type SessionOpened,
  type Verdict,
} from '@millrace/contracts';
import { hasLeft, publishInBatches, type Bus } from '@millrace/bus';
import type { SessionInbox, SessionListener } from '../peers/session-inbox.ts';
import { createSessionChunks, type SessionChunks } from './session-chunks.ts';
import { createOutputCheck, NO_CHECK, type OutputCheck } from './session-output-check.ts';

export type SessionEnd = { verdicts: Verdict[]; ms: number[] } | { lost: Loss };

type SessionClient = {
  push(chunks: readonly Chunk[]): void;
  /** Pushes nothing more; the session ends when everything that was pushed is done. */
  end(): void;
  /** Whether everything that was pushed is done; sends the rest without waiting for more. */
  isDrained(): boolean;
  /** Chunks that wait to be sent, because the window is full. */
  countWaiting(): number;
  /** Chunks that the replica is done with. */
  countProcessed(): number;
  /** Returns the pushed chunks that the replica is not done with. */
  listUnprocessed(): readonly Chunk[];
  /** The stream was stopped: asks for the verdicts as they are. Discards further output, and no event reports the end. */
  requestVerdicts(): Promise<SessionEnd>;
  /** Ends the session at both ends and discards further output. */
  drop(): void;
};

type SessionEvents = {
  output: (chunks: readonly Chunk[]) => void;
  /** Called once: by the end of the session, or by its loss. */
  onEnded: (end: SessionEnd) => void;
  /** The window has moved. */
  onAdvanced: () => void;
};

export type OpenedSession = Extract<SessionOpened, { opened: true }>;

export type SessionClientOptions = {
  bus: Bus;
  inbox: SessionInbox;
  runId: string;
  /** How long chunks may be in flight without the count advancing, ms. */
  timeoutMs: number;
  /** Of each entry that the session is asked for, whether it may change chunks; absent: all may. */
  mayChange?: readonly boolean[];
  /** The output is ignored, and need not be complete. */
  isObserver?: boolean;
};

/** A session that is being opened: it listens under `session` before the open request is sent, so that no answer is missed. */
export type SessionConnection = {
  client: SessionClient;
  session: string;
  /** The replica has accepted the session: from here on both ends send signs of life. */
  handleOpened(answer: OpenedSession): void;
  /** Sends batches from here on. */
  start(events: SessionEvents): void;
};

const PING_MS = 250;

/** The replica that has accepted the session. */
type Peer = { subject: string; address: string; served: number };

export function connectSession(options: SessionClientOptions): SessionConnection {
  const { bus, inbox, runId, mayChange = [true], isObserver = false } = options;
  const session = crypto.randomUUID();
  const chunks = createSessionChunks();
  const check = isObserver ? NO_CHECK : createOutputCheck(runId, chunks);
  const driver = createSessionDriver(options, session, chunks);
  const { dispatch, flush } = driver;
  const flushOnce = createTurnFlush(flush);
  inbox.open(session, createSessionListener(driver, { check, chunks }, options.timeoutMs));
  return {
    session,
    client: {
      push(more) {
        check.recordPushed(more);
        driver.enqueue(more);
        flushOnce();
      },
      end() {
        dispatch({ type: 'end' });
        flush();
      },
      isDrained() {
        dispatch({ type: 'hurry' });
        flush();
        return isDrained(driver.getFlow());
      },
      countWaiting: () => driver.getFlow().queued,
      countProcessed: () => driver.getFlow().processed,
      listUnprocessed: () => chunks.listPushed(driver.getFlow().processed),
      requestVerdicts() {
        // The caller has the promise and receives no further event.
        driver.setEvents(undefined);
        dispatch({ type: 'tell' });
        return driver.ended;
      },
      drop() {
        dispatch({ type: 'drop' });
        inbox.close(session);
      },
    },
    handleOpened(answer) {
      // Derived, never taken from the message: an answer must not choose the subject that the orchestrator publishes to.
      driver.setPeer({
        subject: bus.subjects.session(answer.service, answer.replica, session),
        address: `${answer.service}.${answer.replica}`,
        served: answer.served,
      });
      if (!mayChange.slice(0, answer.served).includes(true)) check.forbidChanges();
      dispatch({ type: 'opened', at: performance.now() });
    },
    start(events) {
      driver.setEvents(events);
      // The session may have been lost while the step's other sessions were being opened.
      const end = driver.getEnd();
      if (end) return events.onEnded(end);
      dispatch({ type: 'started' });
      flush();
    },
  };
}

type SessionDriver = ReturnType<typeof createSessionDriver>;

/** Drives the reducer of one session: performs its effects on the bus, and keeps the end of the session. */
function createSessionDriver({ bus, inbox }: SessionClientOptions, session: string, pushed: SessionChunks) {
  const ended = Promise.withResolvers<SessionEnd>();
  let flow = openCallerFlow(performance.now());
  let peer: Peer | undefined;
  let events: SessionEvents | undefined;
  /** Set once; a listener that starts later receives it. */
  let end: SessionEnd | undefined;

  const dispatch = (event: CallerEvent) => {
    const step = reduceCaller(flow, event);
    flow = step.flow;
    step.effects.forEach(perform);
  };
  const perform = (effect: CallerEffect) => {
    if (effect.type === 'post') post(effect);
    else if (effect.type === 'ping') void ping(effect.receivedAt);
    else if (effect.type === 'lost') finish({ lost: effect.loss });
  };
  const finish = (how: SessionEnd) => {
    end = how;
    inbox.close(session);
    events?.onEnded(how);
    ended.resolve(how);
  };
  const post = ({ count, type: _, ...rest }: Extract<CallerEffect, { type: 'post' }>) => {
    const chunks = pushed.send(count);
    if (!peer) return;
    let batches = 0;
    const buildHead = (last: boolean) => ({
      session,
      sequence: flow.line.nextOut + batches++,
      processed: 0,
      ...(last && rest),
    });
    publishInBatches(bus, peer.subject, chunks, SESSION_LIMITS.maxBatchBytes, buildHead);
    dispatch({ type: 'posted', batches, at: performance.now() });
  };
  /** The server reports a killed replica at once, because nothing subscribes for it any more. */
  const ping = async (receivedAt: number) => {
    const isLost = await hasLeft(bus, peer?.address ?? '', PING_MS).catch(() => false);
    dispatch({ type: 'pinged', hasLeft: isLost, receivedAt });
  };
  return {
    ended: ended.promise,
    dispatch,
    finish,
    enqueue(chunks: readonly Chunk[]): void {
      pushed.push(chunks);
      dispatch({ type: 'pushed', count: chunks.length });
    },
    /** Sends a batch. A chunk that no message can hold ends the session, not the code that pushes or reads. */
    flush(): void {
      try {
        dispatch({ type: 'flush', at: performance.now() });
      } catch (error) {
        const code = MillraceError.isInstance(error) ? error.code : 'internal';
        dispatch({ type: 'refused', code, message: error instanceof Error ? error.message : String(error) });
      }
    },
    getFlow: () => flow,
    getEnd: () => end,
    getServed: () => peer?.served ?? 0,
    getEvents: () => events,
    setPeer: (accepted: Peer) => void (peer = accepted),
    setEvents: (listening: SessionEvents | undefined) => void (events = listening),
  };
}

type CheckedChunks = { check: OutputCheck; chunks: SessionChunks };

/** Handles the messages that the replica sends. */
function createSessionListener(
  driver: SessionDriver,
  { check, chunks }: CheckedChunks,
  timeoutMs: number,
): SessionListener {
  const { dispatch } = driver;
  const conclude = (verdicts: Verdict[], ms: number[]) => {
    const isStop = verdicts.some(({ type }) => type !== 'continue');
    const missing = isStop ? undefined : check.findMissing();
    dispatch({ type: 'verdicts', count: verdicts.length, served: driver.getServed(), isStop, missing });
    // A loss has set its own end.
    if (driver.getFlow().phase === 'ended' && !driver.getEnd()) driver.finish({ verdicts, ms });
  };
  return {
    receive(output, bytes) {
      const { sequence, processed, verdicts, ms = [] } = output;
      const at = performance.now();
      dispatch({ type: 'received', sequence, processed, bytes, hasVerdicts: verdicts !== undefined, at });
      const flow = driver.getFlow();
      if (flow.phase === 'ended') return;
      if (flow.phase !== 'telling') {
        const taken = check.take(output);
        if ('refused' in taken) return dispatch({ type: 'refused', ...taken.refused });
        chunks.release(flow.processed, check.getNeeded());
        if (taken.out.length > 0) driver.getEvents()?.output(taken.out);
      }
      if (verdicts) return conclude(verdicts, ms);
      driver.flush();
      driver.getEvents()?.onAdvanced();
    },
    refuse: (why) =>
      dispatch({
        type: 'refused',
        code: 'processor-failed',
        message: `A batch of the session does not fit: ${why}`,
      }),
    sendHeartbeat: (at) => dispatch({ type: 'tick', at, timeoutMs }),
  };
}

/** The chunks of one read of the model are pushed one by one; they leave together, at the end of the turn. */
function createTurnFlush(flush: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    process.nextTick(() => {
      isDue = false;
      flush();
    });
  };
}
