// Reads the JSON body of a request within its limit, and checks it against a schema.
import { MAX_NESTING, MillraceError, isNestedDeeper, listIssues } from '@millrace/contracts';
import type { z } from 'zod';

/** @throws message-too-large, message-invalid with every problem */
export async function readJsonBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  maxBytes: number,
): Promise<z.output<S>> {
  const value = parseJson(await readText(request, maxBytes));
  if (isNestedDeeper(value)) throw createDepthError();
  return checkValue(value, schema, 'The body');
}

/** @throws message-invalid */
export function checkValue<S extends z.ZodType>(value: unknown, schema: S, name: string): z.output<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issues = listIssues(parsed.error);
  const [first] = issues;
  throw new MillraceError(
    'message-invalid',
    `${name} is invalid: ${first?.path ?? ''} ${first?.message ?? ''}`.trim(),
    {
      path: first?.path,
      issues,
      remedy: 'Correct the listed members; GET /openapi.json has the schemas.',
    },
  );
}

/** The server reads no more than the declared length. Of a body without one the bytes that arrive are counted. */
async function readText(request: Request, maxBytes: number): Promise<string> {
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > maxBytes) throw createSizeError(maxBytes);
  // The text of the server's request needs no web stream, unlike its body.
  try {
    return await (declared === null ? readStream(request.body, maxBytes) : request.text());
  } catch (error) {
    throw isAborted(error) ? createCutOffError(error) : error;
  }
}

/** Returns whether the client has closed the connection: no defect of the gateway. */
const isAborted = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const createCutOffError = (cause: unknown): MillraceError =>
  new MillraceError('message-invalid', 'The connection closed before the end of the body.', { cause });

async function readStream(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw createSizeError(maxBytes);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts));
}

function parseJson(text: string): unknown {
  if (text.trim() === '') return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new MillraceError('message-invalid', 'The body is not JSON.', {
      cause: error,
      remedy: 'Send a JSON object with content-type: application/json.',
    });
  }
}

const createDepthError = (): MillraceError =>
  new MillraceError('message-invalid', `The body is nested deeper than ${MAX_NESTING}.`, {
    remedy: 'Flatten it, or send it as a text.',
  });

const createSizeError = (maxBytes: number): MillraceError =>
  new MillraceError('message-too-large', `The body is larger than ${maxBytes} bytes.`, {
    remedy: 'Send less, or raise MAX_BODY_BYTES of the gateway.',
  });
