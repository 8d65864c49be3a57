// The routes of useChat: a chat is a thread. A page that disconnects stops reading; only the route `stop` cancels.
import type { Client, Run } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { Access } from '../access/access.ts';
import { openBody } from '../access/open-access.ts';
import { continueCalls } from '../agents/client-calls.ts';
import { type CallMark, type OpenedRequest, settleFailed, settleRequest } from '../recent/open-request.ts';
import { answerNewestQuestion, listQuestions } from '../agents/answer-question.ts';
import { continueAt, readEnd } from '../agents/run-mark.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { openStream } from '../http/open-stream.ts';
import { createMark, findRepeatedRun, fingerprint } from '../recent/repeated-run.ts';
import { readAgent } from '../own/run-routes.ts';
import {
  convertUiMessages,
  readAnswerText,
  readDecisions,
  readUiResults,
  uiRequestSchema,
  type ApprovalDecision,
  type UiRequest,
} from './ui-request.ts';
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
      (await answerCalls({ ...body, agent }, client, parts)) ??
      (await answerDecisions({ ...body, agent }, client, access, stream.left)) ??
      (await startOrJoin({ ...body, agent }, client, parts));
    context.limits.countRun(access, client, run.runId);
    const close = (isSent: boolean) => {
      void settleRequest(opened, { isSent });
      stream.close();
    };
    return respondWithUi(run, { context, opening, left: stream.left, close });
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
  const answered = joined ? undefined : await answerQuestion(request, client, access, { mark, left });
  if (answered) return answered;
  const { id, messages, agent, clientTools } = request;
  // The results of the calls are answers.
  if (clientTools) access.require('answer');
  const converted = convertUiMessages(messages, await context.readTraits(access, agent));
  const runId = joined?.value ?? crypto.randomUUID();
  const opened = await recent.open(print, runId, joined);
  const starting = client.start(agent, converted, { runId, threadId: id, clientTools, leave: left });
  const run = await starting.catch((error: unknown) => settleFailed(opened, error));
  return { run, opening: NO_OPENING, opened };
}

/** The page has executed its tools: the same answer continues. */
async function answerCalls(
  request: AgentRequest,
  client: Client,
  { access, context, headers, left }: StartParts,
): Promise<StartedChatRun | undefined> {
  const found = readUiResults(request.messages);
  if (!found) return undefined;
  access.require('answer');
  const mark = createMark(access, request, headers, context.recent);
  const continued = await continueCalls(found, { client, agent: request.agent, left, mark });
  if (!continued) return undefined;
  const { run, opened } = continued;
  return { run, opened, opening: { events: [describeStart(found.runId)], continues: true } };
}

/** The page has approved or denied calls: the same answer continues. */
async function answerDecisions(
  { messages, agent }: AgentRequest,
  client: Client,
  access: Access,
  left: AbortSignal,
): Promise<StartedChatRun | undefined> {
  const found = readDecisions(messages);
  if (!found) return undefined;
  const open = await listQuestions(client, found.runId, agent);
  const answers = found.decisions.flatMap((decision) => {
    const token = open.find(({ id }) => id === decision.id)?.resumeToken;
    return token === undefined ? [] : [{ token, data: toApproval(decision) }];
  });
  if (answers.length === 0)
    throw new MillraceError('run-not-suspended', 'The run does not wait for these decisions.', {
      remedy: 'Load the chat again: another page may have answered.',
    });
  access.require('answer');
  const { runId } = found;
  const from = await readEnd(await client.follow(runId, { signal: left }));
  const { run } = await continueAt({ from, before: {} }, { client, runId, answers, left, isExclusive: true });
  return { run, opening: { events: [describeStart(runId)], continues: true } };
}

const toApproval = ({ approved, reason }: ApprovalDecision) => ({ approved, ...(reason !== undefined && { reason }) });

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
  const events = [{ ...describeStart(answered.run.runId), messageId: `msg_${crypto.randomUUID()}` }];
  return { ...answered, opening: { events, continues: false } };
}
