// Compares the list of runs with a plain model: a map that is sorted for each page.
import { array, assert, boolean, constantFrom, integer, property, record, type Arbitrary } from 'fast-check';
import { OPERATOR_CALLER } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createRunList, createRunMatch, type ListedRun } from './run-list.ts';

const statuses = ['queued', 'running', 'finished'] as const;
const changes = array(
  record({
    run: integer({ min: 0, max: 30 }),
    status: constantFrom(...statuses),
    agent: constantFrom('a', 'b'),
    caller: constantFrom(undefined, 'c1', 'c2'),
    isRemoved: boolean(),
  }),
  { maxLength: 200 },
);
const filters = record({ status: constantFrom(...statuses), agent: constantFrom('a', 'b') }, { requiredKeys: [] });

type Changes = typeof changes extends Arbitrary<infer C> ? C : never;
function apply(all: Changes) {
  const list = createRunList();
  const model = new Map<string, ListedRun>();
  for (const [at, { run, isRemoved, caller, ...more }] of all.entries()) {
    const runId = `run-${run}`;
    const own = caller === undefined ? {} : { caller };
    const next = { runId, ...more, ...own, submittedAt: run, deadlineAt: 0, revision: at * 2 + 1 };
    if (isRemoved) {
      list.remove(runId, at * 2 + 1);
      model.delete(runId);
    } else {
      list.put(next);
      model.set(runId, next);
    }
  }
  return { list, sorted: [...model.values()].toSorted((one, other) => one.revision - other.revision) };
}

test('pages of any size in both directions together are the matching runs, in order, without gap or overlap', () => {
  assert(
    property(
      changes,
      filters,
      constantFrom(OPERATOR_CALLER, 'c1', 'c3'),
      integer({ min: 1, max: 7 }),
      boolean(),
      (all, filter, caller, limit, newest) => {
        const { list, sorted } = apply(all);
        const expected = sorted.filter(
          (run) =>
            (caller === OPERATOR_CALLER || run.caller === caller) &&
            (filter.status === undefined || run.status === filter.status) &&
            (filter.agent === undefined || run.agent === filter.agent),
        );
        const seen: ListedRun[] = [];
        let after: number | undefined = 0;
        while (after !== undefined) {
          const page = list.select(createRunMatch(filter, { caller }), { limit, after, newest });
          expect(page.runs.length).toBeLessThanOrEqual(limit);
          expect(page.next === undefined || page.runs.length === limit).toBe(true);
          seen.push(...page.runs);
          after = page.next;
        }
        expect(seen).toEqual(newest ? expected.toReversed() : expected);
        expect(list.count()).toBe(sorted.length);
      },
    ),
  );
});

describe('a list of runs', () => {
  const run = (runId: string, revision: number, more: Partial<ListedRun> = {}): ListedRun => ({
    runId,
    revision,
    status: 'running',
    agent: 'a',
    submittedAt: revision,
    deadlineAt: 0,
    ...more,
  });
  const ids = (runs: readonly ListedRun[]) => runs.map(({ runId }) => runId);
  const any = () => true;

  test('keeps its pages when it is compacted after very many changes', () => {
    const list = createRunList();
    for (let revision = 1; revision <= 20_000; revision += 1) list.put(run(`run-${revision % 7}`, revision));
    expect(list.count()).toBe(7);
    const { runs } = list.select(any, { limit: 100, after: 0 });
    expect(runs.map(({ revision }) => revision)).toEqual([19_994, 19_995, 19_996, 19_997, 19_998, 19_999, 20_000]);
  });

  test('ignores a change that is older than the last one', () => {
    const list = createRunList();
    list.put(run('a', 5));
    list.put(run('a', 4, { status: 'queued' }));
    expect(list.select(any, { limit: 9, after: 0 }).runs).toEqual([run('a', 5)]);
  });

  test('ignores a removal that is older than the last change of the run', () => {
    const list = createRunList();
    list.put(run('a', 5));
    list.remove('a', 4);
    expect(list.count()).toBe(1);
    list.remove('a', 6);
    expect(list.count()).toBe(0);
  });

  test('filters by thread, resource, subject and time of submission', () => {
    const list = createRunList();
    list.put(run('a', 1_000, { threadId: 't1', resourceId: 'ada', subject: 'ada' }));
    list.put(run('b', 2_000, { threadId: 't2', resourceId: 'ada' }));
    const select = (filter: Parameters<typeof createRunMatch>[0]) =>
      ids(list.select(createRunMatch(filter, { caller: OPERATOR_CALLER }), { limit: 9, after: 0 }).runs);
    expect(select({ threadId: 't2' })).toEqual(['b']);
    expect(select({ resourceId: 'ada' })).toEqual(['a', 'b']);
    expect(select({ subject: 'ada' })).toEqual(['a']);
    expect(select({ since: '1970-01-01T00:00:02.000Z' })).toEqual(['b']);
    expect(select({ until: '1970-01-01T00:00:02.000Z' })).toEqual(['a']);
  });
});
