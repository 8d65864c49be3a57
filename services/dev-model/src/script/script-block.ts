// Finds what a test puts into the user's message: a fenced code block tagged `script`, or `verdict` (../judge). On its way here the
// message may have lost its line breaks (a normalizer collapses white space), so the fence counts wherever it stands and
// any white space, or none, may surround the array. The array's end is found by its brackets, so that a script may
// contain fences in its own texts.
export type ScriptBlock = {
  /** What stands between the fences, trimmed. */
  readonly source: string;
  /** The block's place in the text, fences included. */
  readonly start: number;
  readonly end: number;
  /** False where the closing fence is missing. */
  readonly closed: boolean;
};

/** A block whose array never closes is read to the text's end: a bound keeps a hostile text linear. */
const maxBlocks = 8;

export type BlockTag = 'script' | 'verdict';
const openings: Record<BlockTag, RegExp> = {
  script: /```script(?![\w-])\s*/g,
  verdict: /```verdict(?![\w-])\s*/g,
};
const closing = /\s*```/y;

export const scriptBlocks = (text: string): ScriptBlock[] => blocksOf(text, 'script');

export function blocksOf(text: string, tag: BlockTag): ScriptBlock[] {
  const opening = openings[tag];
  const blocks: ScriptBlock[] = [];
  let from = 0;
  while (blocks.length < maxBlocks) {
    opening.lastIndex = from;
    const open = opening.exec(text);
    if (open === null) break;
    const block = blockAt(text, open.index, opening.lastIndex);
    blocks.push(block);
    from = block.end;
  }
  return blocks;
}

/** The text without its scripts and verdicts: what the user can be said to have said. */
export const withoutScripts = (text: string): string => withoutBlocks(withoutBlocks(text, 'script'), 'verdict');

export function withoutBlocks(text: string, tag: BlockTag): string {
  let rest = '';
  let from = 0;
  for (const block of blocksOf(text, tag)) {
    rest += text.slice(from, block.start);
    from = block.end;
  }
  return from === 0 ? text : (rest + text.slice(from)).trim();
}

function blockAt(text: string, start: number, contentStart: number): ScriptBlock {
  const arrayEnd = endOfArray(text, contentStart);
  if (arrayEnd !== undefined) {
    closing.lastIndex = arrayEnd;
    if (closing.test(text)) {
      return { source: text.slice(contentStart, arrayEnd), start, end: closing.lastIndex, closed: true };
    }
  }
  // Not a whole array: the block ends at the next fence, and the parser says what is wrong with its content.
  const fence = text.indexOf('```', contentStart);
  const end = fence < 0 ? text.length : fence;
  return {
    source: text.slice(contentStart, end).trim(),
    start,
    end: fence < 0 ? end : end + 3,
    closed: fence >= 0,
  };
}

/** The index after the bracket that closes the array which begins at `start`; brackets inside JSON strings do not count. */
function endOfArray(text: string, start: number): number | undefined {
  if (text[start] !== '[') return undefined;
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at++;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') depth++;
    else if (character === ']' || character === '}') {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}
