// The options that all guards share.
import { z } from 'zod';

export const responseOption = z
  .string()
  .optional()
  .describe('with strategy block: the run ends well with this answer, instead of with a tripwire');
