// Runs a parallel processInput group concurrently with the first model call (`overlap: model`). Output is buffered
// until the group passes; if it rejects, the buffer is discarded and no client has seen it. Custom chunks of the
// members are sent after the model stream ends, because they pass through the same output processors.
import { isDataChunk, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Interrupt } from '../state/interrupt.ts';
import type { Run } from '../state/run-context.ts';
import { sendChunks } from '../sessions/guard-chunks.ts';
import { stopOutcome } from '../calls/stop-outcome.ts';
import { foldGroup, recordTaint } from './fold-group.ts';
import { createFold, type JudgedEntry } from '../calls/verdict-fold.ts';
import type { StageData } from '../sessions/custom-chunks.ts';

const stage = 'processInput';

export function startOverlapGroup(run: Run, members: PlanEntry[], input: StageInput): void {
  const from = run.transcript.getNextPlace();
  const letGo = run.transcript.hold();
  const written: Chunk[] = [];
  const data: StageData = {
    write: (chunks) => void written.push(...chunks.filter(isDataChunk)),
    flush: async () => undefined,
  };
  const judge = async (signal: AbortSignal) => {
    const own: Run = { ...run, signal: AbortSignal.any([run.signal, signal]) };
    const started = performance.now();
    const judged: JudgedEntry[] = [];
    const fold = await foldGroup(
      own,
      members,
      { stage, input, receiveData: data.write },
      { fold: createFold(input), data },
      (one) => void judged.push(one),
    );
    run.changes?.addStage(stage, 0, input, judged);
    recordTaint(run, fold);
    if (fold.violations.length > 0) run.dispatch({ action: 'violations-found', violations: fold.violations });
    const ms = performance.now() - started;
    run.events.record({ event: 'stage', stage, step: 0, ms, entries: fold.outcomes });
    if (fold.stopped) return rewindToInput(stopOutcome(run, stage, fold.stopped));
    // If the run was stopped, keep the buffer: the verdict is incomplete.
    if (own.signal.aborted) return 'abandoned';
    letGo();
    return 'passed';
  };
  const settle = async (stopped: Interrupt | undefined) => {
    // Discard the buffer only now: the output chain may emit until it is stopped.
    if (stopped) run.transcript.discard(from);
    // If the run was stopped, unjudged output stays buffered for good.
    if (run.signal.aborted) return run.checkInterruption() ?? stopped;
    letGo();
    return stopped ?? (written.length === 0 ? undefined : sendChunks(run, written));
  };
  run.overlap.begin({ judge, settle });
}

/** Rewinds to the input, even if later stages have started. */
const rewindToInput = (interrupt: Interrupt): Interrupt =>
  interrupt.form === 'rewind' ? { ...interrupt, to: 'input' } : interrupt;
