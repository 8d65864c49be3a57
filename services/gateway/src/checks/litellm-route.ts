// LiteLLM's Generic Guardrail API: an unmodified LiteLLM proxy sends the texts of its requests and answers, and the
// processors of an agent judge them. Errors are problem details: the proxy refuses its request for each of them.
import type { Hono } from 'hono';
import { MillraceError } from '@millrace/contracts';
import { openBody } from '../access/open-access.ts';
import type { GatewayContext } from '../context/gateway-context.ts';
import { buildProblemResponse } from '../http/problem.ts';
import { listFiles } from './litellm-files.ts';
import {
  blockFile,
  chooseAgent,
  guardrailRequestSchema,
  makeCheck,
  readFilePath,
  writeGuardrailAnswer,
} from './litellm-request.ts';
import { runCheck } from './run-check.ts';

/** LiteLLM appends this path to the `api_base` of the guardrail. */
const PATH = '/beta/litellm_basic_guardrail_api';

export function mountLiteLlm(app: Hono, context: GatewayContext): void {
  const serve = (request: Request, agent?: string) =>
    serveGuardrail(request, agent, context).catch((error: unknown) => {
      if (!MillraceError.isInstance(error)) context.log.error({ err: error }, 'a guardrail request threw');
      return buildProblemResponse(error);
    });
  app.post(PATH, ({ req }) => serve(req.raw));
  app.post(`/v1/agents/:agent${PATH}`, ({ req }) => serve(req.raw, req.param('agent')));
}

async function serveGuardrail(
  request: Request,
  fromPath: string | undefined,
  context: GatewayContext,
): Promise<Response> {
  const opened = await openBody(request, { scope: 'run', schema: guardrailRequestSchema }, context);
  const { access, headers, body } = opened;
  const agent = chooseAgent(body, fromPath);
  const files = listFiles(body);
  // An answer with a file has no form in a check.
  const unread = body.input_type === 'response' ? files[0] : files.find(({ part }) => !part);
  if (unread) return Response.json(blockFile(unread.path), { headers });
  const parts = files.flatMap(({ part }) => part ?? []);
  const check = makeCheck(body, agent, parts);
  if (!check) return Response.json({ action: 'NONE' }, { headers });
  try {
    const answer = await runCheck(access, check, context);
    const [unjudged] = answer.unjudged ?? [];
    const blocked = unjudged === undefined ? undefined : blockFile(readFilePath(body, files, unjudged) ?? unjudged);
    return Response.json(blocked ?? writeGuardrailAnswer(body, answer), { headers });
  } catch (error) {
    const refused = MillraceError.isInstance(error) ? readFilePath(body, files, error.path) : undefined;
    if (refused === undefined) throw error;
    return Response.json(blockFile(refused), { headers });
  }
}
