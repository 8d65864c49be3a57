// Writes errors in OpenAI's shape.
import type { ErrorCode, WireError } from '@millrace/contracts';
import { chooseErrorType, type OpenAiError } from '@millrace/openai-wire';
import { TOOL_PATHS } from './client-tools.ts';
import { buildErrorHeaders, toHttpError } from '../http/error-status.ts';

/** A block by a processor. LiteLLM and Azure readers know this pair of code and type. */
export class ContentBlocked extends Error {
  override readonly name = 'ContentBlocked';
  readonly processor: string | undefined;

  constructor(reason: string, processor?: string) {
    super(reason);
    this.processor = processor;
  }
}

/** Codes that OpenAI's clients know under another name. */
const CODES: Partial<Record<ErrorCode, string>> = {
  'credentials-refused': 'invalid_api_key',
  'agent-unknown': 'model_not_found',
  'budget-exceeded': 'insufficient_quota',
  'budget-reserved': 'rate_limit_exceeded',
  'limit-exceeded': 'rate_limit_exceeded',
  'queue-full': 'rate_limit_exceeded',
  'too-many-runs': 'rate_limit_exceeded',
};

export function describeOpenAiError(thrown: unknown): {
  status: number;
  error: OpenAiError & { innererror?: object };
  headers: Record<string, string>;
} {
  if (thrown instanceof ContentBlocked) return describeBlock(thrown);
  const known = toHttpError(thrown);
  const { status, error } = known;
  const message = error.remedy === undefined ? error.message : `${error.message} ${error.remedy}`;
  return {
    status,
    error: { message, type: chooseErrorType(status), param: chooseParam(error), code: CODES[error.code] ?? error.code },
    headers: buildErrorHeaders(known),
  };
}

/** A model is an agent. */
function chooseParam({ code, path }: WireError): string | null {
  if (code === 'agent-unknown') return 'model';
  if (path === 'modelSettings.stopSequences') return 'stop';
  // The tools of a client have another name in a run.
  const [member = '', ...rest] = path?.split(/(?=[.[])/) ?? [];
  return path === undefined ? null : [TOOL_PATHS[member] ?? member, ...rest].join('');
}

function describeBlock({ message, processor }: ContentBlocked) {
  const innererror = { code: 'ResponsibleAIPolicyViolation', ...(processor !== undefined && { processor }) };
  const error = { message, type: 'invalid_request_error', param: null, code: 'content_policy_violation', innererror };
  return { status: 400, error, headers: {} };
}

/** @param runId of an accepted run: the clients must not repeat the request by themselves */
export function openAiErrorResponse(thrown: unknown, runId?: string): Response {
  const { status, error, headers } = describeOpenAiError(thrown);
  const accepted: Record<string, string> =
    runId === undefined ? {} : { 'x-should-retry': 'false', 'x-millrace-run-id': runId };
  return Response.json({ error }, { status, headers: { ...headers, ...accepted } });
}
