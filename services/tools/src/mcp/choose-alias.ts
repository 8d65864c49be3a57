// Names of tools for agents. A name of a server may have characters that no provider accepts.
import { createHash } from 'node:crypto';
import { isToken } from '@millrace/contracts';
import { buildToolName } from './mcp-file.ts';

const MAX_NAME = 64;
const HASH_CHARS = 6;

/**
 * Returns the `as` of a tool whose own name is no token or belongs to another tool; undefined if it needs none. The alias
 * depends on the name and on `taken` alone, so that it is the same for each replica and operator.
 */
export function chooseAlias(server: string, name: string, taken: ReadonlySet<string>): string | undefined {
  const own = buildToolName(server, name);
  if (isToken(own) && !taken.has(own)) return undefined;
  const alias = name.replaceAll(/[^A-Za-z0-9_-]/g, '_');
  const plain = buildToolName(server, alias);
  if (isToken(plain) && !taken.has(plain)) return alias;
  const hash = createHash('sha256').update(name).digest('hex').slice(0, HASH_CHARS);
  const room = MAX_NAME - buildToolName(server, '').length - HASH_CHARS - 1;
  return `${alias.slice(0, room)}_${hash}`;
}
