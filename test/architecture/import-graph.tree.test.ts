// No file of the workspace imports another that imports it, directly or through others; rooms import one way. That the checks can
// see is proved in import-graph.test.ts.
import { expect, test } from 'vitest';
import { importCycles, importGraph } from './import-graph.ts';
import { roomCycles, roomProblems } from './room-problems.ts';
import { ROOM_TABLE } from './room-table.ts';
import { readSources } from './workspace.ts';

const graph = importGraph(readSources());

test('the workspace has no circle of imports, type imports included', () => {
  expect(importCycles(graph)).toEqual([]);
});

test.each(Object.entries(ROOM_TABLE))('the workspace keeps the order of the rooms in %s', (base, rooms) => {
  expect(roomProblems(base, rooms, graph)).toEqual([]);
  expect(roomCycles(rooms)).toEqual([]);
  const present = new Set(
    [...graph.keys()].flatMap((path) => (path.startsWith(`${base}/`) ? [path.split('/')[3]] : [])),
  );
  expect(Object.keys(rooms).filter((room) => !present.has(room))).toEqual([]);
});
