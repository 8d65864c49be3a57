// Imports of the workspace form no cycle, and rooms import in one direction. import-graph.test.ts shows that the checks
// work.
import { expect, test } from 'vitest';
import { importCycles, importGraph } from './import-graph.ts';
import { roomCycles, roomProblems } from './room-problems.ts';
import { ROOM_TABLE } from './room-table.ts';
import { readConsole, readSources } from './workspace.ts';

const graph = importGraph([...readSources(), ...readConsole()]);

test('the workspace has no import cycle, type imports included', () => {
  expect(importCycles(graph)).toEqual([]);
});

test.each(Object.entries(ROOM_TABLE))('the workspace keeps the order of the rooms in %s', (base, rooms) => {
  expect(roomProblems(base, rooms, graph)).toEqual([]);
  expect(roomCycles(rooms)).toEqual([]);
  const present = new Set(
    [...graph]
      .flat(2)
      .flatMap((path) => (path.startsWith(`${base}/`) ? [path.slice(base.length + 1).split('/')[0]] : [])),
  );
  expect(Object.keys(rooms).filter((room) => !present.has(room))).toEqual([]);
});
