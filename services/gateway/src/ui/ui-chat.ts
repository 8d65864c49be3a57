// Reads a chat for a page that loads it again: its messages, the stream of its active run, and the stop.
import { MillraceError, isFinal, threadIdSchema, type Message, type MessagePart } from '@millrace/contracts';
import { findNewestRun } from '../agents/answer-question.ts';
import { readClientId, readTail } from '../agents/replaced-messages.ts';
import { toFileUrl } from '../agents/file-part.ts';
import { openAccess } from '../access/open-access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { withJsonText, writeJsonTexts } from '../http/json-texts.ts';
import { openStream } from '../access/open-stream.ts';
import { readAgent } from '../agents/read-agent.ts';
import { respondWithUi } from './ui-stream.ts';

const NO_CONTENT = 204;
/** `agent` is that of the path: its key has to be allowed to use it, and runs of other agents do not count. */
type ChatAddress = { agent: string; chat: string };

async function openChat(request: Request, { agent, chat }: ChatAddress, context: GatewayContext) {
  const { access } = await openAccess(request, 'read', context);
  readAgent({ agent }, access);
  if (!threadIdSchema.safeParse(chat).success)
    throw new MillraceError('thread-unknown', 'The chat does not exist.', { path: 'chat' });
  return { access, client: await access.connectClient() };
}

/** GET …/ui/{chat}/stream: the active or suspended run from its start, without retracted chunks; 204 if none. */
export async function resumeUi(
  request: Request,
  { agent, chat }: ChatAddress,
  context: GatewayContext,
): Promise<Response> {
  const { access, client } = await openChat(request, { agent, chat }, context);
  const newest = await findNewestRun(client, chat, agent);
  if (!newest || isFinal(newest.run.status)) return new Response(null, { status: NO_CONTENT });
  const stream = openStream({ access, request, context });
  try {
    const run = await client.follow(newest.run.runId, { signal: stream.left });
    return respondWithUi(run, { context, left: stream.left, close: stream.close });
  } catch (error) {
    stream.close();
    throw error;
  }
}

/** POST …/ui/{chat}/stop: cancels the active run. `stop()` of the client only stops reading. */
export async function stopUi(
  request: Request,
  { agent, chat }: ChatAddress,
  context: GatewayContext,
): Promise<Response> {
  const { access, client } = await openChat(request, { agent, chat }, context);
  access.require('run');
  const newest = await findNewestRun(client, chat, agent);
  if (newest && !isFinal(newest.run.status)) await client.runs.cancel(newest.run.runId);
  return new Response(null, { status: NO_CONTENT });
}

/**
 * GET …/ui/{chat}/messages: the stored messages, then those of the active run, which are stored when it ends. A run
 * that was blocked is not stored.
 */
export async function listUiMessages(
  request: Request,
  { agent, chat }: ChatAddress,
  context: GatewayContext,
): Promise<Response> {
  const { client } = await openChat(request, { agent, chat }, context);
  const [{ messages: stored }, newest] = await Promise.all([
    readTail(client, chat),
    findNewestRun(client, chat, agent),
  ]);
  const isActive = newest !== undefined && !isFinal(newest.run.status);
  const known = new Set(stored.map(({ id }) => id));
  const open = isActive ? (newest.input ?? []).filter(({ id }) => !known.has(id)) : [];
  return new Response(writeJsonTexts({ messages: describeMessages([...stored, ...open]) }), {
    headers: { 'content-type': 'application/json' },
  });
}

type ShownMessage = { id: string; role: string; parts: object[] };

/** A run stores a message for each step: the page shows the answer of a run as one message. */
function describeMessages(messages: readonly Message[]): ShownMessage[] {
  const shown: ShownMessage[] = [];
  for (const { id, role, content } of messages) {
    const parts = content.parts.flatMap(describeStoredPart);
    const last = shown.at(-1);
    const shownRole = role === 'tool' ? 'assistant' : role;
    if (last?.role === 'assistant' && shownRole === 'assistant') last.parts.push(...parts);
    else shown.push({ id: readClientId(id), role: shownRole, parts });
  }
  return shown;
}

function describeStoredPart(part: MessagePart): object[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text, state: 'done' }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.reasoning, state: 'done' }];
    case 'file':
      return [{ type: 'file', url: toFileUrl(part), mediaType: part.mimeType }];
    case 'tool-invocation': {
      const {
        toolCallId,
        toolName,
        args,
        argsText,
        result = null,
        resultText,
        isError,
        denied,
        state,
      } = part.toolInvocation;
      const input = withJsonText(args ?? null, argsText, 'input');
      const call = { type: 'dynamic-tool', toolCallId, toolName, input };
      if (state !== 'result') return [{ ...call, state: 'input-available' }];
      if (denied === true || isError === true)
        return [
          { ...call, state: 'output-error', errorText: typeof result === 'string' ? result : JSON.stringify(result) },
        ];
      return [{ ...call, state: 'output-available', output: withJsonText(result, resultText, 'output') }];
    }
    case 'step-start':
      return [{ type: 'step-start' }];
    default:
      return [];
  }
}
