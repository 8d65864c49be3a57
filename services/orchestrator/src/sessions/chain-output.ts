// The state of one step's output chain and its output: verdicts are added up, output is compared with the published one after a move, and
// the step receives the rest. The phases are reduced in chain-state, the sessions driven in output-chain.
import type { Chunk, PlanEntry, StageInput } from '@millrace/contracts';
import type { EntryTexts } from '../changes/change-log.ts';
import type { Run } from '../state/run-context.ts';
import type { CallOutcome } from '../calls/ask-with-policy.ts';
import type { ChainEvent, ChainState } from './chain-state.ts';
import type { SessionLink, LinkedSessions } from './linked-sessions.ts';
import type { MovingLimits } from './moving-limits.ts';
import type { OpenSession } from './open-sessions.ts';
import type { Comparison, Fresh } from './repeated-output.ts';
import type { RoomWait } from './wait-for-room.ts';
import type { StepObservers } from './step-observers.ts';
import type { StepRecord } from './step-record.ts';
import type { StreamTexts } from './stream-texts.ts';
import type { StoredText } from './stored-text.ts';
import { acceptReported, acceptVerdict, mustNotFail, type StepVerdicts } from './step-verdicts.ts';
import type { JudgedEntry, StageFold } from '../calls/verdict-fold.ts';

/**
 * `last`: the output for the last chunks; absent if there were none, or if a loss has undone them. `texts`: the recorded
 * text around each entry. `stored`: the text at memory's position, if an entry follows memory.
 */
export type ChainEnd = StageFold & {
  last?: readonly Chunk[];
  texts?: readonly EntryTexts[];
  stored?: string | undefined;
};

export type ChainOutput = {
  output(chunks: readonly Chunk[]): void;
  /** Only the first `count` chunks of the output still count. */
  retract(count: number): void;
  /** Returns the output that counts. */
  listPassed(): readonly Chunk[];
};

export type LostSession = { link: SessionLink; broken: JudgedEntry; judged: readonly JudgedEntry[] };
export type Openings = readonly CallOutcome<OpenSession>[];

/** The output for the last chunks, and the types that they have. */
export type LastOutput = { readonly types: ReadonlySet<string>; readonly out: Chunk[] };

export type Chain = {
  readonly run: Run;
  readonly input: StageInput;
  readonly to: ChainOutput;
  readonly record: StepRecord;
  readonly limits: MovingLimits;
  readonly observers: StepObservers;
  readonly room: RoomWait;
  readonly over: PromiseWithResolvers<void>;
  readonly ended: PromiseWithResolvers<ChainEnd>;
  readonly dispatch: (event: ChainEvent<LostSession>) => void;
  state: ChainState<LostSession>;
  verdicts: StepVerdicts;
  entries: readonly PlanEntry[];
  /** Sessions that were opened again, until the reducer keeps them or gives them up. */
  reopened: Openings;
  linked?: LinkedSessions;
  /** Set if the agent records changes. */
  texts?: StreamTexts;
  stored?: StoredText | undefined;
  comparison: Comparison;
  makeLast?: (() => readonly Chunk[]) | undefined;
  last?: LastOutput | undefined;
};

export const isOver = ({ state }: Chain): boolean => state.phase === 'ended';

export function accept(chain: Chain, judged: JudgedEntry): void {
  if (isOver(chain)) return;
  chain.verdicts = acceptVerdict(chain.verdicts, judged);
  if (!chain.verdicts.fold.stopped) return;
  // Of the chunks that were published before, only the repeated ones count.
  const fresh = judged.verdict.type === 'failure' ? { chunks: [] } : chain.comparison.end();
  emit(chain, chain.verdicts.skipped.length === 0 ? fresh : { ...fresh, chunks: [] });
  chain.dispatch({ type: 'stopped' });
}

/** Behind the one that stopped the stream, the state and the findings of the others count. */
export function acceptAll(chain: Chain, judged: readonly JudgedEntry[]): void {
  if (isOver(chain)) return;
  for (const one of judged) {
    if (isOver(chain)) chain.verdicts = acceptReported(chain.verdicts, [one]);
    else accept(chain, one);
  }
}

export function show(chain: Chain, fresh: Fresh): void {
  if (isOver(chain)) return;
  // The change of a processor stays: skipping it now must not publish the text that it removed.
  const [skipped] = fresh.kept === undefined ? [] : chain.verdicts.skipped;
  if (skipped) accept(chain, mustNotFail(skipped));
  else emit(chain, fresh);
}

function emit({ record, to, entries }: Chain, { chunks, kept }: Fresh): void {
  if (kept !== undefined) to.retract(kept);
  if (chunks.length === 0) return;
  if (entries.length > 0) record.countPassed(chunks);
  to.output(chunks);
}

export function close({ linked, room, observers }: Chain): void {
  linked?.drop();
  room.close();
  observers.end();
}

export const resolve = ({ ended, verdicts, last, texts, stored }: Chain): void =>
  ended.resolve({
    ...verdicts.fold,
    ...(last && { last: last.out }),
    ...(texts && { texts: texts.list() }),
    ...(stored && { stored: stored.read() }),
  });
