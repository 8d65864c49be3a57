// A group of processInput that judges beside the first model call (`overlap: model`). From here on everything that the run says is held,
// until the group has let it pass; what it was dropped with otherwise nobody has seen. Custom chunks of its members wait until the stream
// beside it is over: they pass the same processors.
import { isDataChunk, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { sendChunks } from './guard-chunks.ts';
import { stopOutcome } from './stop-outcome.ts';
import { foldGroup } from './fold-group.ts';
import { emptyFold } from './verdict-fold.ts';
import type { StageData } from './custom-chunks.ts';

const stage = 'processInput';

export function judgeBeside(run: Run, members: PlanEntry[], input: StageInput): void {
  const from = run.chunks.nextIndex();
  const letGo = run.chunks.hold();
  const written: Chunk[] = [];
  const data: StageData = {
    write: (chunks) => void written.push(...chunks.filter(isDataChunk)),
    flush: async () => undefined,
  };
  const judge = async (signal: AbortSignal) => {
    const own: Run = { ...run, signal: AbortSignal.any([run.signal, signal]) };
    const started = performance.now();
    const fold = await foldGroup(own, members, { stage, input, onData: data.write }, { fold: emptyFold(input), data });
    if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
    const ms = performance.now() - started;
    run.events.record({ event: 'stage', stage, step: 0, ms, entries: fold.outcomes });
    if (fold.stopped) return fromInput(stopOutcome(run, stage, fold.stopped));
    // Given up with the run: what nobody has judged to the end stays held.
    if (!own.signal.aborted) letGo();
    return undefined;
  };
  const settle = async (stopped: Interrupt | undefined) => {
    // Not before: what came out of the chain until it was given up is held too.
    if (stopped) run.chunks.drop(from);
    // What nobody has judged stays held for good.
    if (run.signal.aborted) return run.interruption() ?? stopped;
    letGo();
    return stopped ?? (written.length === 0 ? undefined : sendChunks(run, written));
  };
  run.overlap.begin({ judge, settle });
}

/** What it rejects is the input, however far the run has come meanwhile. */
const fromInput = (interrupt: Interrupt): Interrupt =>
  interrupt.kind === 'rewind' ? { ...interrupt, to: 'input' } : interrupt;
