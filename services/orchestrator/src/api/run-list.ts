// A list of runs in the order of their last change, in memory, with filters. A run that changes moves to the end; its
// former place stays empty until the list is compacted. Pure.
import { isOperator, readOwner, type ApiRequest, type RunHead } from '@millrace/contracts';

/** The members of a head that a list shows or filters by. */
export type ListedRun = Pick<
  RunHead,
  | 'runId'
  | 'status'
  | 'agent'
  | 'caller'
  | 'subject'
  | 'threadId'
  | 'resourceId'
  | 'submittedAt'
  | 'startedAt'
  | 'retryOf'
  | 'deadlineAt'
> & { /** Of the head: grows with each change, over all runs. */ revision: number };
export type RunFilter = Partial<
  Pick<ApiRequest<'runs-list'>, 'status' | 'agent' | 'threadId' | 'subject' | 'resourceId' | 'since' | 'until'>
>;
export type RunPageOptions = { limit: number; after: number; newest?: boolean | undefined };
export type RunPage = { runs: ListedRun[]; next?: number };

export type RunList = {
  count(): number;
  /** An older revision than that of the last change has no effect. */
  put(run: ListedRun): void;
  /** A change of the run after the revision stays. */
  remove(runId: string, revision: number): void;
  /**
   * Returns the next matching runs after the revision `after`, or, with `newest`, before it. `next`: the revision of the
   * last one if more match.
   */
  select(isMatch: (run: ListedRun) => boolean, options: RunPageOptions): RunPage;
};

/** Empty places that a list may have without a compaction. */
const MIN_EMPTY = 1_024;

export function createRunList(): RunList {
  let places: (ListedRun | undefined)[] = [];
  let revisions: number[] = [];
  const placesById = new Map<string, number>();

  const empty = (runId: string) => {
    const place = placesById.get(runId);
    if (place !== undefined) places[place] = undefined;
    placesById.delete(runId);
  };
  const compact = () => {
    if (places.length - placesById.size < Math.max(MIN_EMPTY, placesById.size)) return;
    const kept = places.filter((run) => run !== undefined);
    places = kept;
    revisions = kept.map(({ revision }) => revision);
    kept.forEach(({ runId }, place) => placesById.set(runId, place));
  };
  /** Returns the first place with a higher revision. */
  const findAfter = (revision: number): number => {
    let [low, high] = [0, revisions.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((revisions[middle] ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    count: () => placesById.size,
    put(run) {
      if (run.revision <= (revisions.at(-1) ?? 0)) return;
      empty(run.runId);
      placesById.set(run.runId, places.length);
      places.push(run);
      revisions.push(run.revision);
      compact();
    },
    remove(runId, revision) {
      const place = placesById.get(runId);
      if (place === undefined || (revisions[place] ?? 0) > revision) return;
      empty(runId);
      compact();
    },
    select(isMatch, { limit, after, newest = false }) {
      const step = newest ? -1 : 1;
      const first = newest ? (after === 0 ? places.length : findAfter(after - 1)) - 1 : findAfter(after);
      const runs: ListedRun[] = [];
      for (let place = first; place >= 0 && place < places.length; place += step) {
        const run = places[place];
        if (!run || !isMatch(run)) continue;
        const last = runs.at(-1);
        if (runs.length === limit && last) return { runs, next: last.revision };
        runs.push(run);
      }
      return { runs };
    },
  };
}

/** Returns the filter of a request, for the runs that its caller can see. */
export function createRunMatch(filter: RunFilter, { caller }: { caller: string }): (run: ListedRun) => boolean {
  const { status, agent, threadId, subject, resourceId, since, until } = filter;
  const from = since === undefined ? -Infinity : Date.parse(since);
  const to = until === undefined ? Infinity : Date.parse(until);
  const isAll = isOperator(caller);
  return (run) =>
    (isAll || readOwner(run) === caller) &&
    (status === undefined || run.status === status) &&
    (agent === undefined || run.agent === agent) &&
    (threadId === undefined || run.threadId === threadId) &&
    (subject === undefined || run.subject === subject) &&
    (resourceId === undefined || run.resourceId === resourceId) &&
    run.submittedAt >= from &&
    run.submittedAt < to;
}
