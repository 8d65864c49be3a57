// Reads the prefix of all subjects, streams and buckets from an environment.
import { z } from 'zod';
import { MillraceError } from '../base/errors.ts';
import { DEFAULT_PREFIX } from './subjects.ts';

const TOKENS = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;
const FORM = 'must be letters, digits, "_" and "-", in tokens with dots in between, such as mr.v1';

export const prefixSchema = z.string().regex(TOKENS, FORM);

/** An empty variable counts as absent. @throws config-invalid */
export function readPrefix(env: Readonly<Record<string, string | undefined>>): string {
  const given = env['MILLRACE_PREFIX'] || DEFAULT_PREFIX;
  if (TOKENS.test(given)) return given;
  throw new MillraceError('config-invalid', `MILLRACE_PREFIX ${FORM}.`, {
    path: 'MILLRACE_PREFIX',
    remedy: 'Set MILLRACE_PREFIX to the value that the services have, or to none.',
  });
}
