// The blocks of one read as groups: adjacent plain deltas of one part are one group with their joined text; every other block is a group
// of its own. Pure.
import type { RepairEvent } from './compatible-events.ts';
import type { PlainDelta, ReadDelta } from './plain-delta.ts';
import { joinRepaired, type SseBlock } from './sse-blocks.ts';

/** UTF-16 code units of one group's text. */
const MAX_GROUP_CHARS = 16 * 1024;

export type BlockGroup = {
  /** Key of the deltas. undefined: the block is no plain delta. */
  key: string | undefined;
  text: string;
  /** Events that a reader of `source` counts. */
  events: number;
  /** As the body of an event stream. */
  readSource(): string;
};

/** Reads the events of one stream. `repair`: for the events that are no plain deltas. */
export type EventReader = { read: ReadDelta; repair: RepairEvent };

/** @param isSplitting whether each block holds at most one event; if not, their number is unknown */
export function groupBlocks(
  blocks: readonly SseBlock[],
  isSplitting: boolean,
  { read, repair }: EventReader,
): BlockGroup[] {
  const groups: BlockGroup[] = [];
  let open: BlockGroup | undefined;
  for (const block of blocks) {
    const { data } = block;
    const delta = data === undefined ? undefined : read(data);
    if (delta && open?.key === delta.key && open.text.length + delta.text.length <= MAX_GROUP_CHARS) {
      open.text += delta.text;
      continue;
    }
    const group = delta ? createDeltaGroup(delta) : blockGroup(joinRepaired(block, repair), data, isSplitting);
    open = delta && group;
    groups.push(group);
  }
  return groups;
}

function createDeltaGroup(delta: PlainDelta): BlockGroup {
  const group: BlockGroup = {
    key: delta.key,
    text: delta.text,
    events: 1,
    readSource: () => `data: ${delta.withText(group.text)}\n\n`,
  };
  return group;
}

const DONE = '[DONE]';
/** More than any stream has: the counts never agree again, so that no delta passes its reader. */
const UNKNOWN = Number.MAX_SAFE_INTEGER / 2;

function blockGroup(source: string, data: string | undefined, isSplitting: boolean): BlockGroup {
  const isEvent = data !== undefined && data !== DONE && data !== '';
  const isCounted = isSplitting && (data !== undefined || !source.includes('data'));
  return { key: undefined, text: '', events: isCounted ? Number(isEvent) : UNKNOWN, readSource: () => source };
}
