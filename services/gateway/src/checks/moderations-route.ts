// POST /v1/moderations: the input processors of an agent as OpenAI's moderations. The model names the agent.
import type { Hono } from 'hono';
import { MillraceError, buildTextMessage, type MessagePart } from '@millrace/contracts';
import { z } from 'zod';
import type { Access } from '../access/access.ts';
import { openBody } from '../access/open-access.ts';
import { createFilePart } from '../agents/file-part.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { openAiErrorResponse } from '../openai/openai-error.ts';
import { writeModeration, type ModerationResult } from './moderation-result.ts';
import { checkMembers } from '../members/member-table.ts';
import { MODERATION_GROUPS } from '../members/other-members.ts';
import { describeIgnored } from '../openai/start-headers.ts';
import { runCheck } from './run-check.ts';

const MAX_INPUTS = 32;

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({ url: z.string().min(1) }),
});
export const moderationRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([
    z.string(),
    z.array(z.string()).min(1).max(MAX_INPUTS),
    z.array(z.discriminatedUnion('type', [textPartSchema, imagePartSchema])).min(1),
  ]),
});
type ModerationRequest = z.output<typeof moderationRequestSchema>;

export function mountModerations(app: Hono, context: GatewayContext): void {
  app.post('/v1/moderations', ({ req }) =>
    serveModerations(req.raw, context).catch((error: unknown) => openAiErrorResponse(error)),
  );
}

async function serveModerations(request: Request, context: GatewayContext): Promise<Response> {
  const opened = await openBody(request, { scope: 'run', schema: moderationRequestSchema }, context);
  const { access, headers, body } = opened;
  const ignored = checkMembers(body, MODERATION_GROUPS);
  const results: ModerationResult[] = [];
  for (const parts of listInputs(body.input)) results.push(await judgeInput(access, { body, parts }, context));
  return Response.json(
    { id: `modr-${crypto.randomUUID()}`, model: body.model, results },
    { headers: { ...headers, ...describeIgnored(ignored) } },
  );
}

type Input = { body: ModerationRequest; parts: InputPart[] };
/** `path`: of a file in the request. */
type InputPart = { part: MessagePart; path: string };

/** @throws run-refused with the path of a file that no processor has judged and passed: the protocol has no form for it */
async function judgeInput(access: Access, { body, parts }: Input, context: GatewayContext): Promise<ModerationResult> {
  const message = {
    ...buildTextMessage('input', 'user', ''),
    content: { format: 2 as const, parts: parts.map(({ part }) => part) },
  };
  const check = { agent: body.model, direction: 'input' as const, messages: [message] };
  const answer = await runCheck(access, check, context).catch((error: unknown) => {
    throw MillraceError.isInstance(error) && error.path?.startsWith('messages') ? refuseFile(parts, error.path) : error;
  });
  const [unjudged] = answer.unjudged ?? [];
  if (unjudged !== undefined) throw refuseFile(parts, unjudged);
  const hasImage = parts.some(({ part }) => part.type === 'file');
  return writeModeration(answer, hasImage ? ['text', 'image'] : ['text']);
}

function refuseFile(parts: readonly InputPart[], path: string): MillraceError {
  const [, at = ''] = /parts\[(\d+)\]/.exec(path) ?? [];
  return new MillraceError('run-refused', 'No processor of the agent has judged and passed this image.', {
    path: parts[Number(at)]?.path ?? 'input',
    remedy: 'Send the texts alone, or choose an agent with a processor that judges images.',
  });
}

/** Returns the parts of each input. Parts of an array are one input together. @throws message-invalid for an image that cannot be read */
function listInputs(input: ModerationRequest['input']): InputPart[][] {
  const texts = typeof input === 'string' ? [input] : input.filter((one) => typeof one === 'string');
  if (typeof input === 'string' || texts.length > 0) return texts.map((text) => [buildTextPart(text)]);
  const words: string[] = [];
  const files: InputPart[] = [];
  for (const [at, one] of input.entries()) {
    if (typeof one === 'string') continue;
    const path = `input[${at}].image_url`;
    if (one.type === 'text') words.push(one.text);
    else files.push({ part: createFilePart(one.image_url.url, { otherType: 'image/*', path }), path });
  }
  return [[...(words.length > 0 ? [buildTextPart(words.join('\n'))] : []), ...files]];
}

const buildTextPart = (text: string): InputPart => ({ part: { type: 'text', text }, path: 'input' });
