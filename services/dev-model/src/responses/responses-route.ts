// POST /v1/responses: resolves references to earlier answers, and counts the unknown ones in a header.
import { parseBody } from '../api/parse-body.ts';
import { serveModelCall, type ModelServing } from '../api/serve-model-call.ts';
import type { ItemStore } from './item-store.ts';
import { toResponsesModelCall, responsesRequestSchema } from './responses-request.ts';
import { createResponsesWire } from './responses-wire.ts';
import { refuseForeignReasoning } from './sealed-reasoning.ts';

export async function serveResponses(request: Request, items: ItemStore, serving: ModelServing): Promise<Response> {
  const body = await parseBody(request, responsesRequestSchema);
  if (typeof body.input !== 'string') refuseForeignReasoning(body.input);
  const unknownItems: string[] = [];
  const call = toResponsesModelCall(body, (itemId) => {
    const text = items.findText(itemId);
    if (text === undefined) unknownItems.push(itemId);
    return text;
  });
  const wire = createResponsesWire({
    store: body.store === false ? undefined : items,
    encryptedReasoning: body.include?.includes('reasoning.encrypted_content') ?? false,
  });
  const response = await serveModelCall(request, call, wire, serving);
  if (unknownItems.length > 0) {
    serving.log.warn({ unknownItems: unknownItems.length }, 'omitted references to items of an earlier process');
    response.headers.set('x-millrace-unknown-items', String(unknownItems.length));
  }
  return response;
}
