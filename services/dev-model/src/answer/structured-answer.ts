// The answer where a JSON Schema is asked for. It is checked against the schema before it leaves.
import { z } from 'zod';
import { ApiError } from '../api/api-error.ts';
import { describeIssue } from '../api/describe-issue.ts';
import type { Conversation } from '../conversation.ts';
import type { JsonObject } from '../json.ts';
import { fieldValuesIn } from './field-values.ts';
import { fillSchema } from './fill-schema.ts';

/** The emptiest value that fits: nothing is known. */
export const structuredValue = (schema: JsonObject): unknown => fillSchema(schema, () => ({ news: [], whole: [] }));

/** `answerText` is what the stand-in would say without a schema: it goes where the schema has room for an answer. */
export function structuredAnswer(conversation: Conversation, schema: JsonObject, answerText: () => string): unknown {
  const value = fillSchema(schema, fieldValuesIn(conversation, answerText));
  const check = checkerOf(schema)?.safeParse(value);
  if (check === undefined || check.success) return value;
  const { path, message } = describeIssue(check.error);
  throw new ApiError({
    status: 400,
    code: 'unsupported_schema',
    message: `The stand-in cannot make a value for this schema: ${path || 'the whole'}: ${message}`,
  });
}

/** Undefined where zod does not know a keyword: such a schema is filled as well as can be, unchecked. */
function checkerOf(schema: JsonObject): z.ZodType | undefined {
  try {
    return z.fromJSONSchema(schema);
  } catch {
    return undefined;
  }
}
