// The routes of useChat: a chat is a thread. A page that disconnects stops reading; only the route `stop` cancels.
import type { Client, Run } from '@millrace/client';
import type { Message } from '@millrace/contracts';
import type { Access } from '../access/access.ts';
import { openBody } from '../access/open-access.ts';
import { type CallMark, type OpenedRequest, endAnswered, endRefused } from '../recent/open-request.ts';
import { answerNewestQuestion, endNewestRun } from '../agents/answer-question.ts';
import { readTail } from '../agents/replaced-messages.ts';
import { findUiReplaced, refuseOtherRun } from './ui-replaced.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import type { StreamDelivery } from '../http/event-stream.ts';
import { openStream } from '../access/open-stream.ts';
import { createMark, findRepeatedRun, fingerprint } from '../recent/repeated-run.ts';
import { checkMembers } from '../members/member-table.ts';
import { UI_GROUPS } from '../members/other-members.ts';
import { readAgent } from '../agents/read-agent.ts';
import { convertUiMessages, readAnswerText, uiRequestSchema, type UiRequest } from './ui-request.ts';
import { readUiAnswers } from './ui-answers.ts';
import { answerOtherRuns, continueAnswered, releaseLeftRun } from './answer-runs.ts';
import { NO_OPENING, respondWithUi, type Opening } from './ui-stream.ts';
import type { UiEvent } from './ui-parts.ts';

type StartedChatRun = { run: Run; opening: Opening; opened?: OpenedRequest | undefined };

/** POST /v1/agents/{agent}/ui. @throws coded errors */
export async function serveUiMessages(request: Request, name: string, context: GatewayContext): Promise<Response> {
  const { access, body } = await openBody(request, { scope: 'run', schema: uiRequestSchema }, context);
  const agent = readAgent({ agent: name }, access);
  const stream = openStream({ access, request, context });
  try {
    const client = await access.connectClient();
    const parts = { access, context, headers: request.headers, left: stream.left };
    const { run, opening, opened } =
      (await continueRun({ ...body, agent }, client, parts)) ?? (await startOrJoin({ ...body, agent }, client, parts));
    context.limits.countRun(access, client, run.runId);
    const close = (end: StreamDelivery) => {
      void endAnswered(opened, end);
      stream.close();
    };
    const ignored = checkMembers(body, UI_GROUPS);
    return respondWithUi(run, { context, opening, ignored, left: stream.left, close });
  } catch (error) {
    stream.close();
    throw error;
  }
}

type AgentRequest = UiRequest & { agent: string };
type StartParts = { access: Access; context: GatewayContext; headers: Headers; left: AbortSignal };

/** A browser repeats a request by itself if the connection that it has reused breaks. */
async function startOrJoin(request: AgentRequest, client: Client, parts: StartParts): Promise<StartedChatRun> {
  const { access, context, headers, left } = parts;
  const { recent } = context;
  const print = fingerprint(access, 'ui', request);
  const joined = await findRepeatedRun(client, headers, print, recent);
  const mark = createMark(access, ['question', request], headers, recent);
  const isRedone = isAskedAgain(request);
  const answered = joined || isRedone ? undefined : await answerQuestion(request, client, access, { mark, left });
  if (answered) return answered;
  const { id, messages, agent, clientTools } = request;
  // The results of the calls are answers.
  if (clientTools) access.require('answer');
  const traits = await context.readTraits(access, agent);
  const converted = convertUiMessages(messages, traits);
  // An answer that is generated again may still be under way.
  const checkInput = (input: readonly Message[] | undefined) => traits.hasHistory && refuseOtherRun(request, input);
  if (isRedone && !joined) await endNewestRun(client, { threadId: id, agent }, checkInput);
  const replaced = traits.hasHistory ? findUiReplaced(request, await readTail(client, id)) : [];
  const replaces = replaced.length > 0 ? { replaces: replaced } : {};
  const runId = joined?.value ?? crypto.randomUUID();
  const opened = await recent.open(print, runId, joined);
  const starting = client.start(agent, converted, { runId, threadId: id, clientTools, ...replaces, leave: left });
  const run = await starting.catch((error: unknown) => endRefused(opened, error));
  return { run, opening: NO_OPENING, opened };
}

/** The page asks for another answer, or has edited a message, which it names. */
const isAskedAgain = ({ trigger, messages, messageId }: UiRequest): boolean =>
  trigger === 'regenerate-message' || messages.some(({ id, role }) => id === messageId && role === 'user');

/**
 * The page has executed its tools, or has decided calls: the same answer continues. The answers of other messages go to their runs, which
 * continue without a reader if the request has a new message.
 */
async function continueRun(
  request: AgentRequest,
  client: Client,
  { access, left }: StartParts,
): Promise<StartedChatRun | undefined> {
  const given = readUiAnswers(request);
  if (given.length === 0) return undefined;
  access.require('answer');
  const parts = { client, agent: request.agent, left };
  const other = await answerOtherRuns(given, request.id, parts);
  const continued = await continueAnswered(given, parts);
  if (continued) return { run: continued, opening: { events: [describeStart(continued.runId)], continues: true } };
  if (request.messages.at(-1)?.role === 'assistant') return other && { run: other, opening: openMessage(other.runId) };
  await releaseLeftRun(given, parts);
  return undefined;
}

/** The rest of a run as a message of its own. */
const openMessage = (runId: string): Opening => ({
  events: [{ ...describeStart(runId), messageId: `msg_${crypto.randomUUID()}` }],
  continues: false,
});

const describeStart = (runId: string): UiEvent => ({ type: 'start', messageMetadata: { runId } });

/** If the newest run of the chat waits for a text, the new message answers it. */
async function answerQuestion(
  { id, messages, agent }: AgentRequest,
  client: Client,
  access: Access,
  parts: { mark: CallMark; left: AbortSignal },
): Promise<StartedChatRun | undefined> {
  const text = readAnswerText(messages);
  if (text === '' || !access.identity.scopes.includes('answer')) return undefined;
  const answered = await answerNewestQuestion(client, { agent, threadId: id, text }, parts);
  if (!answered) return undefined;
  return { ...answered, opening: openMessage(answered.run.runId) };
}
