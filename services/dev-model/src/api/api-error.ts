// Errors in OpenAI's shape, `{error: {message, type, code, param}}`, which the provider client turns into an
// APICallError with the status and the headers of the answer (https://platform.openai.com/docs/guides/error-codes).
export type ApiErrorBody = {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
  };
};

export type ApiErrorDetails = {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly param?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly code: string;
  readonly param: string | null;
  readonly headers: Readonly<Record<string, string>>;

  constructor(details: ApiErrorDetails) {
    super(details.message, { cause: details.cause });
    this.status = details.status;
    this.code = details.code;
    this.param = details.param ?? null;
    this.headers = details.headers ?? {};
  }
}

export const buildErrorBody = (error: ApiError): ApiErrorBody => ({
  error: { message: error.message, type: chooseErrorType(error.status), code: error.code, param: error.param },
});

export function chooseErrorType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
