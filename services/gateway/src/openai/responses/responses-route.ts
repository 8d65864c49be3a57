// POST /v1/responses: starts a run, or continues a suspended one, and returns it as a response.
import { openBody } from '../../access/open-access.ts';
import { endAnswered, type OpenedRequest } from '../../recent/open-request.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { respondWithEvents, type StreamDelivery } from '../../http/event-stream.ts';
import { openStream } from '../../access/open-stream.ts';
import { onResponseEnd } from '../../http/response-end.ts';
import { describeOpenAiError, openAiErrorResponse } from '../openai-error.ts';
import { startResponse } from './response-changes.ts';
import { describeResponse } from './response-wire.ts';
import { responseRequestSchema } from './responses-request.ts';
import { holdResponse, readResponse, readResponseFrames, throwEarlyEnd } from './responses-stream.ts';
import { startResponseRun } from './start-response.ts';

export async function serveResponse(request: Request, context: GatewayContext): Promise<Response> {
  let accepted: string | undefined;
  let opening: OpenedRequest | undefined;
  try {
    const opened = await openBody(request, { scope: 'run', schema: responseRequestSchema }, context);
    const { access, headers, body } = opened;
    const stream = openStream({ access, request, context });
    try {
      const started = await startResponseRun(body, request.headers, access, context, stream.left);
      accepted = started.run.runId;
      opening = started.opened;
      context.limits.countRun(access, started.client, accepted);
      const all = { ...headers, ...started.headers };
      const end = (ended: StreamDelivery) => void endAnswered(opening, ended);
      if (body.background === true && body.stream !== true) {
        stream.close();
        const queued = describeResponse(startResponse(accepted), started.identity);
        return onResponseEnd(Response.json(queued, { headers: all }), end);
      }
      if (body.stream !== true) {
        const state = await readResponse(started);
        throwEarlyEnd(state);
        stream.close();
        return onResponseEnd(Response.json(describeResponse(state, started.identity), { headers: all }), end);
      }
      const frames = readResponseFrames(started);
      const held = await holdResponse(frames, context.settings.FIRST_CONTENT_MS);
      const { KEEP_ALIVE_MS: keepAliveMs } = context.settings;
      const onEnd = (ended: StreamDelivery) => {
        end(ended);
        stream.close();
      };
      return respondWithEvents(held, { keepAliveMs, onEnd, headers: all });
    } catch (error) {
      await opening?.end(stream.left.aborted ? 'cut' : { status: describeOpenAiError(error).status });
      stream.close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error, accepted);
  }
}
