// The search of the list of threads, as the address of the page holds it. Pure.

export type ThreadSearch = { resource?: string; offset?: number };
const MAX_CHARS = 200;

export function readThreadSearch({ resource, offset }: Readonly<Record<string, unknown>>): ThreadSearch {
  const text = typeof resource === 'string' || typeof resource === 'number' ? String(resource).trim() : '';
  return {
    ...(text !== '' && text.length <= MAX_CHARS && { resource: text }),
    ...(typeof offset === 'number' && Number.isSafeInteger(offset) && offset > 0 && { offset }),
  };
}
