// Imports between rooms that the table of rooms does not have, and folders that have no row. Pure: the graph comes in.
import type { ImportGraph } from './import-graph.ts';
import { isTestPath } from './import-problems.ts';
import type { Rooms } from './room-table.ts';

/** @param base the folder that the rooms stand in */
export function roomProblems(base: string, rooms: Rooms, graph: ImportGraph): string[] {
  const inside = [...graph].filter(([path]) => path.startsWith(`${base}/`) && !isTestPath(path));
  return inside.flatMap(([path, imports]) => {
    const room = roomOf(base, path);
    if (room === undefined) return [];
    const allowed = rooms[room];
    if (!allowed) return [`${path}: the room "${room}" has no row in the table of rooms.`];
    return imports.flatMap((target) => {
      const other = roomOf(base, target);
      if (other === room || (other !== undefined && allowed.includes(other))) return [];
      return [`${path}: imports ${target}, and ${room} may not import ${other ?? 'what stands in no room'}.`];
    });
  });
}

/** The rows whose order is a circle: such a table would allow everything. */
export function roomCycles(rooms: Rooms): string[] {
  const reaches = (from: string, to: string, seen: ReadonlySet<string>): boolean =>
    (rooms[from] ?? []).some((next) => next === to || (!seen.has(next) && reaches(next, to, new Set([...seen, next]))));
  return Object.keys(rooms).filter((room) => reaches(room, room, new Set()));
}

function roomOf(base: string, path: string): string | undefined {
  const [room, ...rest] = path.slice(base.length + 1).split('/');
  return rest.length > 0 ? room : undefined;
}
