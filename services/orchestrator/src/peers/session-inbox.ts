// One subscription for the answers to all stream sessions of this orchestrator, told apart by the subject's last token; and one
// timer for their signs of life.
import { SESSION_LIMITS, lastToken, sessionOutputSchema, type SessionOutput } from '@millrace/contracts';
import { listen, type Bus } from '@millrace/bus';

export type SessionListener = {
  receive(output: SessionOutput): void;
  /** Called twice a second. */
  beat(now: number): void;
};

export type SessionInbox = {
  /** Returns the subject that the session's answers go to. */
  open(session: string, listener: SessionListener): string;
  close(session: string): void;
  stop(): void;
};

export function createSessionInbox(bus: Bus): SessionInbox {
  const listeners = new Map<string, SessionListener>();
  const subscription = listen(bus, bus.subjects.outsOf(bus.id), sessionOutputSchema, (output, subject) => {
    // The subject alone counts: a payload that names another session is refused.
    const session = lastToken(subject);
    if (output.session === session) listeners.get(session)?.receive(output);
    else bus.log.warn({ subject, session: output.session }, 'a session batch names another session than its subject');
  });
  const beatMs = SESSION_LIMITS.heartbeatMs / 2;
  let lastBeat = Date.now();
  const timer = setInterval(() => {
    const now = Date.now();
    // A process that stood still itself must first read what has come since, before it calls anybody silent.
    const stoodStill = now - lastBeat > 2 * beatMs;
    lastBeat = now;
    if (!stoodStill) for (const listener of listeners.values()) listener.beat(now);
  }, beatMs).unref();
  return {
    open(session, listener) {
      listeners.set(session, listener);
      return bus.subjects.out(bus.id, session);
    },
    close: (session) => void listeners.delete(session),
    stop() {
      clearInterval(timer);
      subscription.stop();
    },
  };
}
