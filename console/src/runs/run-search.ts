// The filters of the list of runs, as the address of the page holds them. Pure.

export type RunSearch = {
  status?: string;
  agent?: string;
  thread?: string;
  subject?: string;
  since?: string;
  until?: string;
  /** `next` of the preceding page. */
  after?: number;
};

const TEXTS = ['status', 'agent', 'thread', 'subject', 'since', 'until'] as const;
const MAX_CHARS = 200;

/** Drops members that are no filters: a link can contain any. */
export function readRunSearch(search: Readonly<Record<string, unknown>>): RunSearch {
  const read: RunSearch = {};
  for (const name of TEXTS) {
    const value = search[name];
    const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
    if (text !== '' && text.length <= MAX_CHARS) read[name] = text;
  }
  const { after } = search;
  if (typeof after === 'number' && Number.isSafeInteger(after) && after > 0) read.after = after;
  return read;
}

export const hasFilter = ({ after: _after, ...filters }: RunSearch): boolean => Object.keys(filters).length > 0;
