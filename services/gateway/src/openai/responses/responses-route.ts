// POST /v1/responses: starts a run, or continues a suspended one, and returns it as a response.
import { openBody } from '../../access/open-access.ts';
import type { OpenRequest } from '../../agents/run-mark.ts';
import type { GatewayContext } from '../../gateway-context.ts';
import { respondWithEvents } from '../../http/event-stream.ts';
import { openStream } from '../../http/open-stream.ts';
import { openAiErrorResponse } from '../openai-error.ts';
import { startResponse } from './response-changes.ts';
import { chooseFailure, settle, settleWithResponse } from '../settle-request.ts';
import { describeResponse } from './response-wire.ts';
import { responseRequestSchema } from './responses-request.ts';
import { holdResponse, readResponse, readResponseFrames, throwEarlyEnd } from './responses-stream.ts';
import { startResponseRun } from './start-response.ts';

export async function serveResponse(request: Request, context: GatewayContext): Promise<Response> {
  let accepted: string | undefined;
  let opening: OpenRequest | undefined;
  try {
    const opened = await openBody(request, { scope: 'run', schema: responseRequestSchema }, context);
    const { access, headers, body } = opened;
    const stream = openStream({ access, request, context });
    try {
      const started = await startResponseRun(body, request.headers, access, context, stream.left);
      accepted = started.run.runId;
      context.limits.countRun(access, started.client, accepted);
      opening = started.opened;
      const all = { ...headers, ...started.headers };
      if (body.background === true && body.stream !== true) {
        stream.close();
        const queued = describeResponse(startResponse(accepted), started.identity);
        return settleWithResponse(Response.json(queued, { headers: all }), opening);
      }
      if (body.stream !== true) {
        const state = await readResponse(started);
        throwEarlyEnd(state);
        stream.close();
        return settleWithResponse(Response.json(describeResponse(state, started.identity), { headers: all }), opening);
      }
      const frames = readResponseFrames(started);
      const held = await holdResponse(frames, context.settings.FIRST_CONTENT_MS);
      const { KEEP_ALIVE_MS: keepAliveMs } = context.settings;
      const onEnd = (isSent: boolean) => {
        void settle(opening, isSent ? 'answered' : 'broken');
        stream.close();
      };
      return respondWithEvents(held, { keepAliveMs, onEnd, headers: all });
    } catch (error) {
      await settle(opening, stream.left.aborted ? 'broken' : chooseFailure(error));
      stream.close();
      throw error;
    }
  } catch (error) {
    return openAiErrorResponse(error, accepted);
  }
}
