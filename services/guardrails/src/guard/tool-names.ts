// Tool names in options of guards. A pattern that can match no tool would disarm the guard, so it is rejected.
import { TOOL_NAME_FORMAT } from '@millrace/contracts';
import { z } from 'zod';

const MAX_NAMES = 1_000;

/** A name, a prefix with "*", or "*" for every tool. The format lets `agents apply` warn about names without a tool. */
const toolNameSchema = z
  .string()
  .regex(
    /^(?:[A-Za-z0-9_-]{1,64}|[A-Za-z0-9_-]{0,63}\*)$/,
    'must be the name of a tool, a prefix such as "web-*", or "*"',
  )
  .meta({ format: TOOL_NAME_FORMAT });
export const toolNamesSchema = z.array(toolNameSchema).max(MAX_NAMES);
