// Finds the blocks that a test puts into the user message: a fenced code block tagged `script`, or `verdict`
// (../judge). A normalizer can remove the message's line breaks, so the fence matches anywhere and any white space, or
// none, can surround the array. Brackets determine the end of the array, so that a script can contain fences in its
// texts.
export type ScriptBlock = {
  /** Text between the fences, trimmed. */
  readonly source: string;
  /** Index of the block in the text, fences included. */
  readonly start: number;
  readonly end: number;
  /** False without a closing fence. */
  readonly closed: boolean;
};

/**
 * Limits the blocks, because an array that never closes is read to the end of the text: a hostile text must take linear
 * time.
 */
const maxBlocks = 8;

export type BlockTag = 'script' | 'verdict';
const openings: Record<BlockTag, RegExp> = {
  script: /```script(?![\w-])\s*/g,
  verdict: /```verdict(?![\w-])\s*/g,
};
const closing = /\s*```/y;

export const findScriptBlocks = (text: string): ScriptBlock[] => findBlocks(text, 'script');

export function findBlocks(text: string, tag: BlockTag): ScriptBlock[] {
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

/** Returns the text without its scripts and verdicts. */
export const stripScripts = (text: string): string => stripBlocks(stripBlocks(text, 'script'), 'verdict');

export function stripBlocks(text: string, tag: BlockTag): string {
  let rest = '';
  let from = 0;
  for (const block of findBlocks(text, tag)) {
    rest += text.slice(from, block.start);
    from = block.end;
  }
  return from === 0 ? text : (rest + text.slice(from)).trim();
}

function blockAt(text: string, start: number, contentStart: number): ScriptBlock {
  const arrayEnd = findEndOfArray(text, contentStart);
  if (arrayEnd !== undefined) {
    closing.lastIndex = arrayEnd;
    if (closing.test(text)) {
      return { source: text.slice(contentStart, arrayEnd), start, end: closing.lastIndex, closed: true };
    }
  }
  // Without a complete array the block ends at the next fence, and the parser reports the error in its content.
  const fence = text.indexOf('```', contentStart);
  const end = fence < 0 ? text.length : fence;
  return {
    source: text.slice(contentStart, end).trim(),
    start,
    end: fence < 0 ? end : end + 3,
    closed: fence >= 0,
  };
}

/** Returns the index after the bracket that closes the array at `start`; ignores brackets in JSON strings. */
function findEndOfArray(text: string, start: number): number | undefined {
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
