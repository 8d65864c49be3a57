// Writes errors as problem details (RFC 9457) with the members of a coded error: code, path, remedy, issues.
import { buildErrorHeaders, toHttpError } from './error-status.ts';

const TITLES: Record<number, string> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  402: 'Payment Required',
  403: 'Forbidden',
  404: 'Not Found',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
  504: 'Gateway Timeout',
};

type ProblemAnswer = { status: number; body: object; headers: Record<string, string> };

/** `type` is about:blank: the code identifies the problem, and docs/errors.md lists all codes. */
export function describeProblem(thrown: unknown): ProblemAnswer {
  const { status, error } = toHttpError(thrown);
  const { code, message, path, remedy, issues } = error;
  const body = {
    type: 'about:blank',
    title: TITLES[status] ?? 'Error',
    status,
    detail: message,
    code,
    ...(path !== undefined && { path }),
    ...(remedy !== undefined && { remedy }),
    ...(issues && { issues }),
  };
  return { status, body, headers: buildErrorHeaders({ status, error }) };
}

export const buildProblemResponse = (thrown: unknown): Response => writeProblem(describeProblem(thrown));

export const writeProblem = ({ status, body, headers }: ProblemAnswer): Response =>
  Response.json(body, { status, headers: { ...headers, 'content-type': 'application/problem+json' } });
