// Minimal orchestrator's end of a stream session for tests: sends batches and records all output.
import { listen, publish, request, type Bus } from '@millrace/bus';
import {
  makeCallHeaders,
  sessionOpenedSchema,
  sessionOutputSchema,
  type CallEntry,
  type Chunk,
  type SessionInput,
  type SessionOpened,
  type SessionOutput,
} from '@millrace/contracts';
import { TEST_RUN, eventually, stageCall, streamedText } from '@millrace/testkit';
import { onTestFinished } from 'vitest';

export type TestSession = {
  opened: SessionOpened;
  outputs: SessionOutput[];
  callId: string;
  /** Numbered automatically unless `n` is given. */
  send(chunks: Chunk[], more?: Partial<SessionInput>): void;
  /** The output that ends the session. */
  readEnd(): Promise<SessionOutput>;
  /** Returns all output text so far. */
  text(): string;
  stop(): void;
};

export type OpenOptions = {
  entries: CallEntry[];
  chunks?: Chunk[];
  end?: boolean;
  same?: boolean;
  /** Default: a new one. */
  session?: string;
  runId?: string;
  /** Default: that of `useProcessors`. */
  service?: string;
};

/** The session ends with its test. */
export async function openTestSession(bus: Bus, options: OpenOptions): Promise<TestSession> {
  const { entries, chunks, end, same, session = crypto.randomUUID(), runId = TEST_RUN.runId } = options;
  const { service = 'test-processors' } = options;
  const out = bus.subjects.out(bus.id, session);
  const outputs: SessionOutput[] = [];
  const listening = listen(bus, out, sessionOutputSchema, (output) => outputs.push(output));
  onTestFinished(() => listening.stop());
  const { callId, ...call } = stageCall('processOutputStream', entries);
  const answer = await request(bus, {
    subject: bus.subjects.stage('processOutputStream', { service, processor: entries[0]?.processor ?? '' }),
    headers: makeCallHeaders(entries),
    payload: {
      ...call,
      run: { ...TEST_RUN, runId },
      callId,
      session,
      orchestrator: bus.id,
      ...(chunks && { chunks }),
      ...(end && { end }),
      ...(same && { same }),
    },
    reply: sessionOpenedSchema,
    timeoutMs: call.timeoutMs,
  });
  if ('error' in answer) throw answer.error;
  let next = chunks ? 1 : 0;
  return {
    opened: answer.ok,
    outputs,
    callId,
    send(batch, more = {}) {
      if (!answer.ok.opened) throw new Error('the session was not opened');
      const { service, replica } = answer.ok;
      publish(bus, bus.subjects.session(service, replica, session), {
        session,
        sequence: next++,
        processed: 0,
        chunks: batch,
        ...more,
      });
    },
    readEnd: () => eventually(() => outputs.find((output) => output.verdicts)),
    text: () => streamedText(outputs.flatMap((output) => output.chunks)),
    stop: () => listening.stop(),
  };
}
