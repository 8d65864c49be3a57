import type { RunAction } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { makeAccepted, makeAnswer, foldActions, RUN_ID, makeState } from '../testing/run-states.ts';
import { createDrivenRuns, describeStatement } from './driven-runs.ts';
import { createRunActivity } from './run-activity.ts';

const call = { toolCallId: 'c1', toolName: 'clock', args: {} };
const passed: RunAction = { action: 'input-passed' };
const opened: RunAction = { action: 'step-opened', firstIndex: 1 };

test('a report names the statement of the run loop that the state of the run leads to', () => {
  const answered = makeAccepted(makeAnswer(0, 'Noon.', [call]));
  const result: RunAction = {
    action: 'tool-finished',
    result: { ...call, position: 0, result: 'noon', isError: false },
  };
  expect(describeStatement(makeState())).toBe('input');
  expect(describeStatement(foldActions(makeState(), passed))).toBe('answer');
  expect(describeStatement(foldActions(makeState(), passed, opened))).toBe('answer');
  expect(describeStatement(foldActions(makeState(), passed, opened, ...answered))).toBe('tool-calls');
  expect(describeStatement(foldActions(makeState(), passed, opened, ...answered, result))).toBe('step-end');
  expect(describeStatement(foldActions(makeState(), passed, opened, ...makeAccepted(makeAnswer(0, 'Noon.'))))).toBe(
    'finish',
  );
});

test('an orchestrator reports on the runs that it drives, and on no other', () => {
  const driven = createDrivenRuns();
  const run = (epoch: number) => ({
    ref: { tenant: 'acme', runId: RUN_ID, epoch },
    deadlineAt: performance.now() + 60_000,
    getState: () => makeState(),
    activity: createRunActivity(),
    transcript: { listBuffered: () => ['a', 'b'] },
  });
  const remove = driven.add(run(1));
  expect(driven.report('acme', RUN_ID)).toMatchObject({ epoch: 1, doing: 'input', calls: [], buffered: { chunks: 2 } });
  expect(driven.report('other', RUN_ID)).toBeUndefined();
  driven.add(run(2));
  remove();
  expect(driven.report('acme', RUN_ID)?.epoch).toBe(2);
});
