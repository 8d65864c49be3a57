// Options that all guards share.
import { z } from 'zod';

export const responseOption = z
  .string()
  .optional()
  .describe(
    'Answer of a blocked run, for the strategy block. The run then completes with this text instead of a tripwire.',
  );
