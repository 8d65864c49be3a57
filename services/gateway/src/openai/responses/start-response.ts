// Starts the run of a response, or joins the run of a repeated request.
import type { Access } from '../../access/access.ts';
import type { GatewayContext } from '../../gateway-context.ts';
import { deriveRunId } from '../../own/idempotency.ts';
import { readAgent } from '../../own/run-routes.ts';
import { pickId } from '../chat/chat-target.ts';
import { findRepeatedRun, fingerprint } from '../recent-requests.ts';
import { refuseMembers } from '../refuse-members.ts';
import { listIgnoredSettings, readForm, readModelSettings, startWithMembers } from '../run-settings.ts';
import { describeStart } from '../start-headers.ts';
import { answerApprovals } from './response-approvals.ts';
import { chooseThread } from './response-thread.ts';
import { createIdentity, type StartedResponse } from './response-identity.ts';
import {
  RESPONSE_IGNORED,
  RESPONSE_REFUSED,
  RESPONSE_SETTINGS,
  convertInput,
  hasSystem,
  readTextFormat,
  type ResponseRequest,
} from './responses-request.ts';

/** @throws coded errors before the acceptance of the run */
export async function startResponseRun(
  body: ResponseRequest,
  headers: Headers,
  access: Access,
  { readTraits, recent }: GatewayContext,
  left: AbortSignal,
): Promise<StartedResponse> {
  refuseMembers(body, RESPONSE_REFUSED);
  const agent = readAgent({ agent: body.model }, access);
  const acting = access.actAs(
    pickId([headers.get('x-millrace-subject'), body.safety_identifier ?? null, body.user ?? null]),
  );
  const client = await acting.client();
  const continued = await answerApprovals(body, client, acting, left);
  if (continued) return continued;
  const traits = await readTraits(acting, agent);
  const { acceptsSystem, hasHistory } = traits;
  const form = readForm(readTextFormat(body), 'text.format', traits);
  const settings = { ...readModelSettings(body, RESPONSE_SETTINGS, traits), ...form };
  const threadId = await chooseThread(body, acting, hasHistory);
  const messages = convertInput(body, { acceptsSystem, hasHistory: threadId !== undefined && hasHistory });
  const print = fingerprint(acting, 'responses', body);
  const joined = await findRepeatedRun(client, headers, print, recent);
  const runId = deriveRunId(acting, headers.get('idempotency-key')) ?? joined ?? crypto.randomUUID();
  await recent.remember(print, runId);
  const starting = client.start(agent, messages, { ...settings, runId, threadId, leave: left });
  const run = await startWithMembers('text.format', starting);
  const ignored = listIgnoredSettings(body, RESPONSE_SETTINGS, RESPONSE_IGNORED, traits);
  return {
    run,
    client,
    identity: { ...createIdentity(body, threadId), previousId: body.previous_response_id ?? undefined },
    headers: describeStart({ runId, ignored, hasSystem: hasSystem(body), acceptsSystem }),
  };
}
