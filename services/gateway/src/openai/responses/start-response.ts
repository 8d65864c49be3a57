// Starts the run of a response, or joins the run of a repeated request.
import type { Access } from '../../access/access.ts';
import { continueCalls } from '../../agents/client-calls.ts';
import type { Client } from '@millrace/client';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { deriveRunId } from '../../agents/idempotency.ts';
import { readAgent } from '../../agents/read-agent.ts';
import { chooseSubject } from '../choose-subject.ts';
import { readClientTools } from '../client-tools.ts';
import { createMark, findRepeatedRun, fingerprint } from '../../recent/repeated-run.ts';
import { RESPONSE_GROUPS } from '../../members/response-members.ts';
import { checkMembers, listSettings } from '../../members/member-table.ts';
import { readForm, readModelSettings, startWithMembers } from '../run-settings.ts';
import { endRefused } from '../../recent/open-request.ts';
import { describeStart } from '../start-headers.ts';
import { answerApprovals } from './response-approvals.ts';
import { resolveReferences } from './item-references.ts';
import { chooseThread, readThread } from './response-thread.ts';
import { createIdentity, type StartedResponse } from './response-identity.ts';
import {
  convertInput,
  hasSystem,
  readResponseResults,
  refuseOutputFiles,
  readTextFormat,
  type ResponseRequest,
} from './responses-request.ts';

const SETTINGS = listSettings(RESPONSE_GROUPS.request.table);

/** @throws coded errors before the acceptance of the run */
export async function startResponseRun(
  body: ResponseRequest,
  headers: Headers,
  access: Access,
  { readTraits, recent }: GatewayContext,
  left: AbortSignal,
): Promise<StartedResponse> {
  checkMembers(body, RESPONSE_GROUPS);
  refuseOutputFiles(body);
  const agent = readAgent({ agent: body.model }, access);
  const acting = access.actAs(chooseSubject(headers, body));
  const client = await acting.connectClient();
  const continued = await answerApprovals(body, client, { access: acting, headers, recent, left });
  if (continued) return continued;
  const results = await continueResponse(body, agent, client, { access: acting, headers, recent, left });
  if (results) return results;
  const traits = await readTraits(acting, agent);
  const { acceptsSystem, hasHistory } = traits;
  const form = readForm(readTextFormat(body), 'text.format', traits);
  const tools = readClientTools(body);
  // The results of the calls are answers.
  if (tools.clientTools) acting.require('answer');
  const settings = { ...readModelSettings(body, SETTINGS, traits), ...form, ...tools };
  const threadId = await chooseThread(body, acting, hasHistory);
  const input = await resolveReferences(body, acting);
  const messages = convertInput(
    { ...body, input },
    { acceptsSystem, hasHistory: threadId !== undefined && hasHistory },
  );
  const print = fingerprint(acting, 'responses', body);
  const joined = await findRepeatedRun(client, headers, print, recent);
  const runId = deriveRunId(acting, headers.get('idempotency-key')) ?? joined?.value ?? crypto.randomUUID();
  const opened = await recent.open(print, runId, joined);
  const starting = client.start(agent, messages, { ...settings, runId, threadId, leave: left });
  const run = await startWithMembers('text.format', starting).catch((error: unknown) => endRefused(opened, error));
  const ignored = checkMembers(body, RESPONSE_GROUPS, traits.callerSettings);
  return {
    run,
    client,
    opened,
    identity: { ...createIdentity(body, threadId), previousId: body.previous_response_id ?? undefined },
    headers: describeStart({ runId, ignored, hasSystem: hasSystem(body), acceptsSystem }),
  };
}

type ContinueResponseParts = { access: Access; headers: Headers; left: AbortSignal } & Pick<GatewayContext, 'recent'>;

/** If the input ends with the results of the client's tools, the run that waits for them continues. */
async function continueResponse(
  body: ResponseRequest,
  agent: string,
  client: Client,
  { access, headers, recent, left }: ContinueResponseParts,
): Promise<StartedResponse | undefined> {
  const found = readResponseResults(body);
  if (!found) return undefined;
  access.require('answer');
  const mark = createMark(access, body, headers, recent);
  const continued = await continueCalls(found, { client, agent, left, mark });
  if (!continued) return undefined;
  const { run } = continued;
  const [first] = found.results;
  return {
    ...continued,
    client,
    identity: { ...createIdentity(body, readThread(body)), itemBase: first?.id.replace(/^call_/, '') },
    headers: { 'x-millrace-run-id': run.runId, 'x-should-retry': 'false' },
  };
}
