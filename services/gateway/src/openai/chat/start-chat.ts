// Starts the run of a chat completion, or joins the run of a repeated request.
import type { Client, Run } from '@millrace/client';
import { readMessageText, type Message, type Usage } from '@millrace/contracts';
import type { Access } from '../../access/access.ts';
import { cancelOnDisconnect, continueCalls, type ContinuedRun } from '../../agents/client-calls.ts';
import { answerNewestQuestion, type AnsweredRun } from '../../agents/answer-question.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { deriveRunId } from '../../agents/idempotency.ts';
import { readAgent } from '../../agents/read-agent.ts';
import { readTail } from '../../agents/replaced-messages.ts';
import { findChatReplaced } from './chat-replaced.ts';
import { readChatResults, refuseResultFiles } from './chat-calls.ts';
import { convertMessages, hasSystem } from './chat-messages.ts';
import type { ChatCompletionBody } from './chat-request.ts';
import { readTarget } from './chat-target.ts';
import { needsSettingTraits, readForm, readModelSettings, startWithMembers } from '../run-settings.ts';
import { readClientTools } from '../client-tools.ts';
import { type CallMark, type OpenedRequest, endRefused } from '../../recent/open-request.ts';
import { createMark, findRepeatedRun, fingerprint } from '../../recent/repeated-run.ts';
import { CHAT_GROUPS } from '../../members/chat-members.ts';
import { checkMembers, listSettings } from '../../members/member-table.ts';
import { describeStart } from '../start-headers.ts';

const SETTINGS = listSettings(CHAT_GROUPS.request.table);
const NO_TRAITS = { acceptsSystem: false, hasHistory: false, callerSettings: [], hasForm: false };

export type StartedChat = {
  run: Run;
  client: Client;
  access: Access;
  headers: Record<string, string>;
  /** Usage of the run before this answer: the request has continued a run. */
  before?: Usage;
  opened: OpenedRequest;
  /** The run continues when its client disconnects. */
  isKept: boolean;
};

/**
 * @param clientClosed fires when the client has disconnected: the run is cancelled
 * @throws coded errors before the acceptance of the run
 */
export async function startChat(
  body: ChatCompletionBody,
  headers: Headers,
  access: Access,
  { readTraits, recent }: Pick<GatewayContext, 'readTraits' | 'recent'>,
  clientClosed: AbortSignal,
): Promise<StartedChat> {
  checkMembers(body, CHAT_GROUPS);
  refuseResultFiles(body.messages);
  const agent = readAgent({ agent: body.model }, access);
  const { subject, threadId, sendsAll } = readTarget(headers, body);
  const acting = access.actAs(subject);
  const client = await acting.connectClient();
  const format = body['response_format'];
  const hasSettings = needsSettingTraits(body, SETTINGS, format);
  const needsTraits = threadId !== undefined || hasSystem(body.messages) || hasSettings;
  const traits = needsTraits ? await readTraits(acting, agent) : NO_TRAITS;
  const { acceptsSystem, hasHistory } = traits;
  const form = readForm(format, 'response_format', traits);
  const tools = readClientTools(body);
  // The results of the calls are answers.
  if (tools.clientTools) acting.require('answer');
  const settings = { ...readModelSettings(body, SETTINGS, traits), ...form, ...tools };
  const ignored = checkMembers(body, CHAT_GROUPS, traits.callerSettings);
  const describe = (runId: string) =>
    describeStart({ runId, ignored, hasSystem: hasSystem(body.messages), acceptsSystem });
  const keyed = deriveRunId(acting, headers.get('idempotency-key'));
  // A client with a key repeats its request: its run is not cancelled with the connection.
  const isKept = keyed !== undefined;
  const continued = await continueChat(body, agent, client, { access: acting, headers, recent, clientClosed, isKept });
  if (continued) return { ...continued, client, access: acting, headers: describe(continued.run.runId), isKept };
  const messages = convertMessages(body.messages, { acceptsSystem, hasHistory: threadId !== undefined && hasHistory });
  // Headers name the thread.
  const repeated = [threadId ?? null, body];
  const print = fingerprint(acting, 'chat', repeated);
  const joined = await findRepeatedRun(client, headers, print, recent);
  const mark = createMark(acting, repeated, headers, recent);
  const question = { agent, threadId, messages, except: keyed };
  const answered = joined ? undefined : await answerQuestion(client, question, acting, { mark, left: clientClosed });
  if (answered) return { ...answered, client, access: acting, headers: describe(answered.run.runId), isKept: true };
  const runId = keyed ?? joined?.value ?? crypto.randomUUID();
  const opened = await recent.open(print, runId, joined);
  const tail = threadId !== undefined && hasHistory ? await readTail(client, threadId) : undefined;
  const replaced = tail ? findChatReplaced(body.messages, tail, sendsAll) : [];
  const replaces = replaced.length > 0 ? { replaces: replaced } : {};
  const end = isKept ? { leave: clientClosed } : { signal: clientClosed };
  // A repeated submission with the same id is the same run, also if the first one has not arrived.
  const starting = client.start(agent, messages, { ...settings, ...replaces, runId, threadId, ...end });
  const run = await startWithMembers('response_format', starting).catch((error: unknown) => endRefused(opened, error));
  return { run, client, access: acting, headers: describe(run.runId), opened, isKept };
}

type ContinueChat = { access: Access; headers: Headers; clientClosed: AbortSignal; isKept: boolean } & Pick<
  GatewayContext,
  'recent'
>;

/** If the messages end with the results of the client's tools, the run that waits for them continues. */
async function continueChat(
  body: ChatCompletionBody,
  agent: string,
  client: Client,
  { access, headers, recent, clientClosed, isKept }: ContinueChat,
): Promise<ContinuedRun | undefined> {
  const found = readChatResults(body.messages);
  if (!found) return undefined;
  access.require('answer');
  const mark = createMark(access, body, headers, recent);
  const continued = await continueCalls(found, { client, agent, left: clientClosed, mark });
  if (continued && !isKept) cancelOnDisconnect(continued.run, clientClosed);
  return continued;
}

type ChatQuestion = {
  agent: string;
  threadId: string | undefined;
  messages: readonly Message[];
  /** The run of the first request, if this one is a repetition. */
  except: string | undefined;
};

/** If the newest run of the thread waits for a text, the new messages are its answer. */
async function answerQuestion(
  client: Client,
  { agent, threadId, messages, except }: ChatQuestion,
  access: Access,
  parts: { mark: CallMark; left: AbortSignal },
): Promise<AnsweredRun | undefined> {
  if (threadId === undefined || !access.identity.scopes.includes('answer')) return undefined;
  const text = messages.map(readMessageText).join('\n');
  return answerNewestQuestion(client, { agent, threadId, text, except }, parts);
}
