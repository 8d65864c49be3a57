// Reads the JSON body of a request within its limit, and checks it against a schema.
import { MAX_NESTING, MillraceError, isNestedDeeper, listIssues } from '@millrace/contracts';
import type { z } from 'zod';

/** `onBytes` receives the number of bytes that have arrived; if it throws, its error refuses the body. */
export type BodyReading = { maxBytes: number; onBytes?: (bytes: number) => void };

/** A body of at most this declared length is not counted. */
const SMALL_BYTES = 16 * 1_024;

/** @throws message-too-large, message-invalid with every problem */
export async function readJsonBody<S extends z.ZodType>(
  request: Request,
  schema: S,
  reading: BodyReading,
): Promise<z.output<S>> {
  const value = parseJson(await readBodyText(request, reading));
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

/** The server reads no more than the declared length. @throws message-too-large, message-invalid, errors of `onBytes` */
export async function readBodyText(request: Request, reading: BodyReading): Promise<string> {
  const declared = request.headers.get('content-length');
  if (Number(declared ?? 0) > reading.maxBytes) throw createSizeError(reading.maxBytes);
  // The text of the server's request needs no web stream, unlike its body.
  const isSmall = declared !== null && Number(declared) <= SMALL_BYTES;
  try {
    return await (isSmall ? request.text() : readStream(request.body, reading));
  } catch (error) {
    throw isAborted(error) ? createCutOffError(error) : error;
  }
}

/** Returns whether the client has closed the connection: no defect of the gateway. */
const isAborted = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ECONNRESET';

const createCutOffError = (cause: unknown): MillraceError =>
  new MillraceError('message-invalid', 'The connection closed before the end of the body.', { cause });

/** Rejects at once if `onBytes` throws. */
function readStream(body: ReadableStream<Uint8Array> | null, reading: BodyReading): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  void readToEnd(body, reading, reject).then(resolve, reject);
  return promise;
}

/** Reads on after a refusal, without keeping the bytes: the server closes a connection with an unread body. */
async function readToEnd(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, onBytes }: BodyReading,
  refuse: (error: unknown) => void,
): Promise<string> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  let isRefused = false;
  for await (const part of body ?? []) {
    bytes += part.byteLength;
    if (bytes > maxBytes) throw createSizeError(maxBytes);
    if (isRefused) continue;
    try {
      onBytes?.(part.byteLength);
      parts.push(part);
    } catch (error) {
      isRefused = true;
      parts = [];
      refuse(error);
    }
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
