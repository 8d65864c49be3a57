// One subscription for the answers to all stream sessions of this orchestrator, told apart by the subject's last token; and one
// timer for their signs of life.
import { SESSION_LIMITS, lastToken, sessionOutputSchema, type SessionOutput } from '@millrace/contracts';
import { listen, startHeartbeat, type Bus, type Living } from '@millrace/bus';

/** `heartbeat` is called twice a second. */
export type SessionListener = Living & {
  /** @param bytes of its message */
  receive(output: SessionOutput, bytes: number): void;
  /** What came for the session does not fit. @param why what does not, and where */
  refuse(why: string): void;
};

export type SessionInbox = {
  /** Answers to the session come on `out.<this orchestrator>.<session>`. */
  open(session: string, listener: SessionListener): void;
  close(session: string): void;
  stop(): void;
};

export function createSessionInbox(bus: Bus): SessionInbox {
  const listeners = new Map<string, SessionListener>();
  const receive = (output: SessionOutput, subject: string, bytes: number) => {
    // The subject alone counts: a payload that names another session is refused.
    const session = lastToken(subject);
    if (output.session === session) listeners.get(session)?.receive(output, bytes);
    else bus.log.warn({ subject, session: output.session }, 'a session batch names another session than its subject');
  };
  const refuse = (error: Error, subject: string) => listeners.get(lastToken(subject))?.refuse(error.message);
  const subscription = listen(bus, bus.subjects.outsOf(bus.id), sessionOutputSchema, receive, refuse);
  const heartbeat = startHeartbeat(bus.log, SESSION_LIMITS.heartbeatMs / 2, () => listeners.values());
  return {
    open: (session, listener) => void listeners.set(session, listener),
    close: (session) => void listeners.delete(session),
    stop() {
      heartbeat.stop();
      subscription.stop();
    },
  };
}
