// Options of the http-guard processor.
import { z } from 'zod';
import { endpointNameSchema } from '../../endpoints/endpoint-config.ts';
import { PLACES } from '../../guard/places.ts';
import { responseOption } from '../../guard/strategy-options.ts';

export const httpGuardOptions = z.strictObject({
  endpoint: endpointNameSchema.describe(
    'Name of an endpoint that the file of HTTP_GUARDS defines for the service. A URL is not accepted.',
  ),
  on: z
    .array(z.enum(PLACES))
    .min(1)
    .default([...PLACES])
    .describe('Judged texts: the messages of the caller, the answer, arguments of tool calls, tool results.'),
  strategy: z
    .enum(['block', 'warn', 'filter'])
    .default('block')
    .describe(
      'Action when the endpoint blocks. block: stop the run. warn: report only, and ignore replaced texts. filter: drop the message, the tool result, or in an answer the window, and deny the tool call.',
    ),
  window: z
    .int()
    .min(0)
    .max(10_000)
    .default(0)
    .describe(
      'Length of a window of the streamed answer that is buffered and judged at once, in code units. 0: the whole text of a part.',
    ),
  response: responseOption,
});
export type HttpGuardOptions = z.output<typeof httpGuardOptions>;
