// Receives the answers to all stream sessions of this orchestrator with one subscription, distinguished by the
// subject's last token, and drives their heartbeats with one timer.
import { SESSION_LIMITS, readLastToken, sessionOutputSchema, type SessionOutput } from '@millrace/contracts';
import { listen, startHeartbeat, type Bus, type Living } from '@millrace/bus';

/** `heartbeat` is called twice a second. */
export type SessionListener = Living & {
  /** @param bytes of its message */
  receive(output: SessionOutput, bytes: number): void;
  /** Reports an invalid message of the session. @param why the reason with its path */
  refuse(why: string): void;
};

export type SessionInbox = {
  /** Answers to the session arrive on `out.<this orchestrator>.<session>`. */
  open(session: string, listener: SessionListener): void;
  close(session: string): void;
  stop(): void;
};

export function createSessionInbox(bus: Bus): SessionInbox {
  const listeners = new Map<string, SessionListener>();
  const receive = (output: SessionOutput, subject: string, bytes: number) => {
    // Only the subject counts: a payload that names another session is refused.
    const session = readLastToken(subject);
    if (output.session === session) listeners.get(session)?.receive(output, bytes);
    else bus.log.warn({ subject, session: output.session }, 'session batch names another session than its subject');
  };
  const refuse = (error: Error, subject: string) => listeners.get(readLastToken(subject))?.refuse(error.message);
  const subscription = listen(bus, bus.subjects.allOuts(bus.id), sessionOutputSchema, receive, refuse);
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
