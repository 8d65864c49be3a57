// Splits the text of a server-sent event stream into blocks: an event with the blank line that ends it. Bounded: a stream with a longer
// block, or with carriage returns as line ends, is passed on unsplit from there.

/** UTF-16 code units of one block. */
export const MAX_BLOCK_CHARS = 256 * 1024;

export type SseBlock = {
  /** The block as the provider sent it. */
  source: string;
  /** The JSON text of its only data line. undefined: the block has none, or several. */
  data: string | undefined;
};

export type SseSplitter = {
  /** The blocks that the text completes. */
  split(text: string): SseBlock[];
  /** The text after the last complete block. */
  takeRest(): string;
  /** False from the first text that it passes on unsplit. */
  isSplitting(): boolean;
};

export function createSseSplitter(): SseSplitter {
  let rest = '';
  let isSplitting = true;
  return {
    split(text) {
      if (isSplitting && hasBareReturn(rest.at(-1) ?? '', text)) isSplitting = false;
      rest += text;
      const blocks: SseBlock[] = [];
      let from = 0;
      const blank = rest.includes('\r') ? CRLF_BLANK : BLANK;
      const findBlockEnd = () => (isSplitting ? blank(rest, from) : 0);
      for (let end = findBlockEnd(); end > 0; end = findBlockEnd()) {
        const source = rest.slice(from, end);
        blocks.push({ source, data: parseDataOnly(source) });
        from = end;
      }
      rest = rest.slice(from);
      if (rest.length > MAX_BLOCK_CHARS) isSplitting = false;
      if (isSplitting) return blocks;
      if (rest !== '') blocks.push({ source: rest, data: undefined });
      rest = '';
      return blocks;
    },
    takeRest: () => rest,
    isSplitting: () => isSplitting,
  };
}

/** Returns the block with its event repaired; as it was sent if no member differs. */
export function joinRepaired({ source, data }: SseBlock, repair: (data: string) => string): string {
  const repaired = data === undefined ? undefined : repair(data);
  return repaired === data ? source : `data: ${repaired}\n\n`;
}

/** @param before the character before the text */
const hasBareReturn = (before: string, text: string): boolean =>
  (before === '\r' && !text.startsWith('\n')) || /\r[^\n]/.test(text);

/** The index after the next blank line; 0 if there is none. */
type FindBlank = (text: string, from: number) => number;
const BLANK: FindBlank = (text, from) => {
  const at = text.indexOf('\n\n', from);
  return at < 0 ? 0 : at + 2;
};
const CRLF_BLANK: FindBlank = (text, from) => {
  const blank = /\n\r?\n/g;
  blank.lastIndex = from;
  return blank.test(text) ? blank.lastIndex : 0;
};

const PREFIX = 'data: ';

/** The usual form first: one line. */
function parseDataOnly(source: string): string | undefined {
  const line = source.trimEnd();
  if (line.startsWith(PREFIX) && !line.includes('\n')) return line.slice(PREFIX.length);
  const lines = line.split('\n').map((one) => one.trimEnd());
  const [data, ...more] = lines.filter((one) => one.startsWith('data:'));
  const isEvent = lines.every((one) => one.startsWith('data:') || one.startsWith('event:') || one === '');
  return data !== undefined && more.length === 0 && isEvent ? data.slice('data:'.length).trimStart() : undefined;
}
