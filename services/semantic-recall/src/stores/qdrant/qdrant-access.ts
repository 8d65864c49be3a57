// Reads the API key of Qdrant from the environment. TLS needs no variable: the scheme https of QDRANT_URL requires it, and
// Node.js trusts the authorities of NODE_EXTRA_CA_CERTS too. (The client accepts no authority of its own.)
import { MillraceError } from '@millrace/contracts';
import { readConnectionFile } from '@millrace/service';
import { z } from 'zod';

const environmentSchema = z.object({
  QDRANT_URL: z.string().optional(),
  QDRANT_API_KEY: z.string().optional().describe('API key of the server; prefer the file'),
  QDRANT_API_KEY_FILE: z.string().optional().describe('file with the API key, read at the start'),
});

/** The part of the service's environment. */
export const qdrantAccessSchema = environmentSchema.transform((env, context): { qdrantKey: string | undefined } => {
  const { QDRANT_URL: url, QDRANT_API_KEY: key, QDRANT_API_KEY_FILE: file } = env;
  const report = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message });
  if (key !== undefined && file !== undefined)
    report('QDRANT_API_KEY', 'is set together with QDRANT_API_KEY_FILE: set one of the two');
  if (file === undefined || url === undefined) return { qdrantKey: key };
  try {
    const text = readConnectionFile(file, 'QDRANT_API_KEY_FILE').trim();
    if (text === '') report('QDRANT_API_KEY_FILE', `names an empty file, ${file}`);
    return { qdrantKey: text };
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error;
    report('QDRANT_API_KEY_FILE', error.message);
    return { qdrantKey: undefined };
  }
});
