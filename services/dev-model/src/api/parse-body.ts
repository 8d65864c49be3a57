// Parses and validates a request's body. An invalid body is a 400 that names the field.
import { z } from 'zod';
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

/** Rejects a field that dev-model does not implement, so that it is never silently ignored. */
export const rejectField = (why: string) => z.never({ error: why }).nullish();

export const jsonSchemaField = z.record(z.string(), z.unknown());

const textPart = z.object({ type: z.enum(['text', 'input_text', 'output_text']), text: z.string() });
const refusalPart = z.object({ type: z.literal('refusal'), refusal: z.string() });
const attachment = z.looseObject({ type: z.enum(['image_url', 'input_image', 'input_audio', 'file', 'input_file']) });

/** Text or parts. The text has `[image_url]` in place of an attachment, because dev-model cannot open it, and the script
 * of a verdict that its bytes contain. */
export const contentField = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, refusalPart, attachment])),
]);

export function joinContentText(content: z.infer<typeof contentField>): string {
  if (typeof content === 'string') return content;
  return content
    .map((part) => {
      if ('text' in part) return part.text;
      if (part.type === 'refusal') return part.refusal;
      return `[${part.type}]${readVerdict(part)}`;
    })
    .join('\n');
}

/** Returns the script of a verdict in the bytes of an attachment, so that a test can script the verdict on a file. */
function readVerdict(part: object): string {
  const [, base64 = ''] = /base64,([A-Za-z0-9+/=]+)/.exec(JSON.stringify(part)) ?? [];
  const [script] = /```verdict[^]*?```/.exec(Buffer.from(base64, 'base64').toString()) ?? [];
  return script === undefined ? '' : `\n${script}`;
}
