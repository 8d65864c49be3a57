// Errors in OpenAI's shape, `{error: {message, type, code, param}}`, which the provider client turns into an
// APICallError with the status and the headers of the answer (https://platform.openai.com/docs/guides/error-codes).
import { chooseErrorType, type OpenAiError } from '@millrace/openai-wire';

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

export const buildErrorBody = (error: ApiError): { error: OpenAiError } => ({
  error: { message: error.message, type: chooseErrorType(error.status), code: error.code, param: error.param },
});
