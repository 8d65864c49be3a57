// Streams a run to an HTTP client. A client that disconnects stops reading, and the run continues. A gateway that
// drains ends its streams, and the clients rejoin at another one with Last-Event-ID.
import type { Run, RunInput, StartOptions } from '@millrace/client';
import { respondWithEvents } from '../http/event-stream.ts';
import { openStream, type OpenedStream, type StreamCall } from '../access/open-stream.ts';
import { followPosition, readPosition, writeChunkEvents } from './chunk-events.ts';

type StartedRun = { agent: string; input: RunInput; options: StartOptions };

/** Coded errors before the acceptance of the run are HTTP errors. */
export const startRunEvents = ({ agent, input, options }: StartedRun, call: StreamCall): Promise<Response> =>
  streamRun(call, async ({ left }) => {
    const client = await call.access.connectClient();
    const run = await client.start(agent, input, { ...options, leave: left });
    call.context.limits.countRun(call.access, client, run.runId);
    return run;
  });

/** The run is looked up before the headers: the stream of an unknown run is a 404. */
export async function followRunEvents(
  { runId, after }: { runId: string; after: string | undefined },
  call: StreamCall,
): Promise<Response> {
  const last = readPosition(call.request.headers.get('last-event-id') ?? after, 'Last-Event-ID');
  return streamRun(call, async ({ left }) => {
    const client = await call.access.connectClient();
    await client.runs.get(runId);
    return client.follow(runId, { from: followPosition(last), signal: left });
  });
}

async function streamRun(call: StreamCall, open: (stream: OpenedStream) => Promise<Run>): Promise<Response> {
  const stream = openStream(call);
  try {
    const run = await open(stream);
    return respondWithEvents(writeChunkEvents(run, stream.left), {
      keepAliveMs: call.context.settings.KEEP_ALIVE_MS,
      onEnd: stream.close,
      headers: { 'x-millrace-run-id': run.runId },
    });
  } catch (error) {
    stream.close();
    throw error;
  }
}
