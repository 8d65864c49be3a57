// Manages the sessions of this replica: opened by request, fed by one subscription, watched by one timer.
import {
  MillraceError,
  SESSION_LIMITS,
  type SessionInput,
  type SessionOpen,
  type SessionOpened,
} from '@millrace/contracts';
import { startHeartbeat, waitAtMost, type Bus } from '@millrace/bus';
import { createCallReports } from './call-reports.ts';
import type { OpenCall } from './call-registry.ts';
import { createFailureVerdict } from '../verdict/failure-verdict.ts';
import type { HostedProcessors } from './hosted-processor.ts';
import { createSession, type HostedSession } from './session.ts';
import { createStreamChain, type ChainEvents, type ChainMember } from './stream-chain.ts';
import { streamBatch } from './stream-batch.ts';

export type SessionHost = {
  /**
   * Opens a session. The call is closed at the end of the session, and cancelled if its output is no longer needed. An
   * earlier session of the same caller under the same id is dropped without an answer: both would answer on one
   * subject.
   * @throws message-invalid for an id of another run's session. If it throws, the caller must close the call.
   */
  open(open: SessionOpen, call: OpenCall): Promise<SessionOpened>;
  receive(input: SessionInput): void;
  /** Fails the session because a message for it is invalid. */
  refuse(session: string, why: string): void;
  /** Waits for the sessions under way, then ends the rest as lost: the orchestrator is notified at once. */
  drain(graceMs: number): Promise<void>;
};

export function createSessionHost(bus: Bus, hosted: HostedProcessors): SessionHost {
  const sessions = new Map<string, HostedSession>();
  const endFormer = (open: SessionOpen) => {
    const former = sessions.get(open.session);
    if (former?.belongsTo(open) === false) throw createIdTakenError(open.session);
    former?.drop();
  };
  let empty: (() => void) | undefined;
  const heartbeat = startHeartbeat(bus.log, SESSION_LIMITS.heartbeatMs / 2, () => sessions.values());

  return {
    async open(open, call) {
      const members = listMembers(open, hosted);
      if ('failed' in members) {
        call.close();
        return { opened: false, verdicts: [members.failed] };
      }
      const { run, requestContext, trace, maxProcessorRetries } = open;
      const { retryCount, stepNumber } = open.input;
      const { signal } = call;
      const reports = createCallReports(bus.log, { run: run.runId, stage: open.stage, session: open.session });
      const context = {
        run,
        requestContext,
        trace,
        retryCount,
        maxProcessorRetries,
        stepNumber,
        signal,
        write: () => undefined,
        ...reports,
      };
      const createChain = (events: ChainEvents) => createStreamChain(members.found, open.input, context, events);
      const opened = {
        opened: true as const,
        replica: bus.id,
        service: bus.name,
        served: members.found.length,
      };
      if (open.end) {
        const output = await streamBatch(createChain, open.chunks ?? []);
        call.close();
        return { ...opened, output };
      }
      const removeSession = () => {
        sessions.delete(open.session);
        call.giveUp();
        call.close();
        if (sessions.size === 0) empty?.();
      };
      endFormer(open);
      const session = createSession({ bus, open, createChain, onClosed: removeSession });
      sessions.set(open.session, session);
      if (open.chunks) session.receive({ session: open.session, sequence: 0, processed: 0, chunks: open.chunks });
      return opened;
    },
    receive: (input) => sessions.get(input.session)?.receive(input),
    refuse: (session, why) => sessions.get(session)?.refuse(why),
    async drain(graceMs) {
      if (sessions.size > 0) await waitAtMost(new Promise<void>((resolve) => (empty = resolve)), graceMs);
      for (const session of sessions.values()) session.lose('The replica is stopping.');
      heartbeat.stop();
    },
  };
}

function createIdTakenError(session: string): MillraceError {
  return new MillraceError('message-invalid', `The session id "${session}" belongs to another run's session.`, {
    path: 'session',
    remedy: 'Give each session an id of its own, such as a UUID.',
  });
}

/**
 * Returns the first entries of the list, as far as this replica serves them; a failure if it serves none, or the first
 * entry's options are invalid.
 */
function listMembers(open: SessionOpen, hosted: HostedProcessors) {
  const found: ChainMember[] = [];
  try {
    for (const entry of open.entries) {
      const member = hosted(entry);
      if (!member) break;
      found.push({ entry, hosted: member });
    }
  } catch (error) {
    if (found.length === 0) return { failed: createFailureVerdict(error) };
  }
  return found.length > 0
    ? { found }
    : { failed: createFailureVerdict(new Error('this replica serves none of these processors')) };
}
