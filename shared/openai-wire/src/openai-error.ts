/** All four members: clients of other families read each of them. */
export type OpenAiError = { message: string; type: string; param: string | null; code: string };

export function chooseErrorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
