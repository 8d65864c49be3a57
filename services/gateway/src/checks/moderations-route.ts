// POST /v1/moderations: the input processors of an agent as OpenAI's moderations. The model names the agent.
import type { Hono } from 'hono';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';
import { openBody } from '../access/open-access.ts';
import type { GatewayContext } from '../gateway-context.ts';
import { openAiErrorResponse } from '../openai/openai-error.ts';
import { writeModeration, type ModerationResult } from './moderation-result.ts';
import { checkMembers } from '../members/member-table.ts';
import { MODERATION_GROUPS } from '../members/other-members.ts';
import { describeIgnored } from '../openai/start-headers.ts';
import { runCheck } from './run-check.ts';

const MAX_INPUTS = 32;

const textPartSchema = z.looseObject({ type: z.literal('text'), text: z.string() });
const imagePartSchema = z.looseObject({ type: z.literal('image_url') });
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
  for (const text of listInputs(body.input)) {
    const check = { agent: body.model, direction: 'input' as const, texts: [text] };
    results.push(writeModeration(await runCheck(access, check, context)));
  }
  return Response.json(
    { id: `modr-${crypto.randomUUID()}`, model: body.model, results },
    { headers: { ...headers, ...describeIgnored(ignored) } },
  );
}

/** Parts are one input together. @throws run-refused for an image */
function listInputs(input: ModerationRequest['input']): string[] {
  if (typeof input === 'string') return [input];
  const texts: string[] = [];
  const parts: string[] = [];
  for (const one of input) {
    if (typeof one === 'string') texts.push(one);
    else if ('text' in one && typeof one.text === 'string') parts.push(one.text);
    else
      throw new MillraceError('run-refused', 'Moderations judge texts, and the input has an image.', {
        path: 'input',
        remedy: 'Send the texts alone.',
      });
  }
  return parts.length > 0 ? [...texts, parts.join('\n')] : texts;
}
