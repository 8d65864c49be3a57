// Requests and replies of external guards: in our own shape, and in that of LiteLLM's generic guardrail API. Pure.
// docs/http-guards.md describes both.
import type { JsonObject, RunRef, Stage } from '@millrace/contracts';
import { z } from 'zod';
import type { EndpointConfig } from './endpoint-config.ts';

export type EndpointRequest = {
  stage: Stage;
  /** request: written by the caller or for a tool; response: written by a model or a tool. */
  direction: 'request' | 'response';
  run: RunRef;
  entry: string;
  tool?: string | undefined;
  texts: readonly string[];
};

/** `texts`: one for each text of the request. `reason` and `rule` are untrusted. */
export type EndpointReply =
  | { action: 'allow' }
  | { action: 'block'; reason?: string | undefined; rule?: string | undefined }
  | { action: 'replace'; texts: string[] };

const MAX_REASON = 500;
/** Maximum growth of a replaced text: factor and addition, in code units. */
const GROWTH = { factor: 4, addition: 1_024 };

const texts = z.array(z.string());
const millraceReply = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('allow') }),
  z.strictObject({ action: z.literal('block'), reason: z.string().optional(), rule: z.string().optional() }),
  z.strictObject({ action: z.literal('replace'), texts }),
]);
/** Other members are ignored: guards of that shape echo members of the request, and null is an absent member. */
const litellmReply = z.discriminatedUnion('action', [
  z.looseObject({ action: z.literal('NONE') }),
  z.looseObject({ action: z.literal('BLOCKED'), blocked_reason: z.string().nullish() }),
  z.looseObject({ action: z.literal('GUARDRAIL_INTERVENED'), texts }),
]);

export function buildRequestBody({ format, params }: EndpointConfig, request: EndpointRequest): JsonObject {
  const { stage, direction, entry, tool, run } = request;
  const { tenant, runId, agent, resourceId } = run;
  if (format === 'millrace') {
    const about = { tenant, runId, agent, entry, ...(tool !== undefined && { tool }) };
    return { version: 1, stage, direction, ...about, texts: [...request.texts], params };
  }
  return {
    texts: [...request.texts],
    request_data: {
      user_api_key_team_id: tenant,
      ...(resourceId !== undefined && { user_api_key_end_user_id: resourceId }),
    },
    input_type: direction,
    litellm_call_id: crypto.randomUUID(),
    litellm_trace_id: runId,
    additional_provider_specific_params: params,
  };
}

/** Returns undefined for a reply of another shape, another number of texts, or with a text that has grown too much. */
export function parseReply(
  { format }: EndpointConfig,
  { texts: given }: EndpointRequest,
  value: unknown,
): EndpointReply | undefined {
  const reply = format === 'millrace' ? millraceReply.safeParse(value).data : parseLitellmReply(value);
  if (reply?.action === 'replace') return fitsRequest(given, reply.texts) ? reply : undefined;
  if (reply?.action === 'block') return { ...reply, reason: reply.reason?.slice(0, MAX_REASON) };
  return reply;
}

function parseLitellmReply(value: unknown): EndpointReply | undefined {
  const reply = litellmReply.safeParse(value).data;
  switch (reply?.action) {
    case 'NONE':
      return { action: 'allow' };
    case 'BLOCKED':
      return { action: 'block', reason: reply.blocked_reason ?? undefined };
    case 'GUARDRAIL_INTERVENED':
      return { action: 'replace', texts: reply.texts };
    case undefined:
      return undefined;
  }
}

const fitsRequest = (given: readonly string[], replaced: readonly string[]): boolean =>
  replaced.length === given.length &&
  replaced.every((text, at) => text.length <= (given[at]?.length ?? 0) * GROWTH.factor + GROWTH.addition);
