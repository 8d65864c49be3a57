// Parses and validates a request's body. An invalid body is a 400 that names the field.
import type { z } from 'zod';
import { ApiError } from './api-error.ts';
import { describeIssue } from './describe-issue.ts';

export async function parseBody<T>(request: { text(): Promise<string> }, schema: z.ZodType<T>): Promise<T> {
  const text = await request.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new ApiError({ status: 400, code: 'invalid_json', message: `The body is not JSON: ${reason}`, cause });
  }
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const { path, message } = describeIssue(parsed.error);
  throw new ApiError({
    status: 400,
    code: 'invalid_value',
    message: path === '' ? `Invalid body: ${message}` : `Invalid '${path}': ${message}`,
    ...(path !== '' && { param: path }),
    cause: parsed.error,
  });
}
