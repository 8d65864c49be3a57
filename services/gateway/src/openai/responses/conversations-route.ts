// POST /v1/conversations: returns a new id for the member `conversation` of responses. A thread begins with its first run.
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';
import { metadataSchema } from '../metadata-schema.ts';
import { openBody } from '../../access/open-access.ts';
import type { GatewayContext } from '../../context/gateway-context.ts';
import { openAiErrorResponse } from '../openai-error.ts';

const MS_PER_SECOND = 1_000;
export const conversationSchema = z.looseObject({
  items: z.array(z.unknown()).nullish(),
  metadata: metadataSchema,
});

export async function createConversation(request: Request, context: GatewayContext): Promise<Response> {
  try {
    const { headers, body } = await openBody(request, { scope: 'run', schema: conversationSchema }, context);
    if (body.items?.length)
      throw new MillraceError('not-built-yet', 'A conversation begins without items: no guard has judged them.', {
        path: 'items',
        remedy: 'Send them as the input of the first response.',
      });
    const conversation = {
      id: `conv_${crypto.randomUUID()}`,
      object: 'conversation',
      created_at: Math.floor(Date.now() / MS_PER_SECOND),
      metadata: body.metadata ?? {},
    };
    return Response.json(conversation, { headers });
  } catch (error) {
    return openAiErrorResponse(error);
  }
}
