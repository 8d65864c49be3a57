// Finds imports between rooms that the table of rooms does not allow, and folders without a row. Pure: takes the graph.
import type { ImportGraph } from './import-graph.ts';
import { isTestPath } from './import-problems.ts';
import type { Rooms } from './room-table.ts';

/** @param base folder of the rooms */
export function roomProblems(base: string, rooms: Rooms, graph: ImportGraph): string[] {
  const inside = [...graph].filter(([path]) => path.startsWith(`${base}/`) && !isTestPath(path));
  return inside.flatMap(([path, imports]) => {
    const room = findRoom(base, path);
    if (room === undefined) return [];
    const allowed = rooms[room];
    if (!allowed) return [`${path}: the room "${room}" has no row in the table of rooms.`];
    return imports.flatMap((target) => {
      const other = findRoom(base, target);
      if (other === room || (other !== undefined && allowed.includes(other))) return [];
      return [`${path}: imports ${target}, and ${room} may not import ${other ?? 'a file outside of the rooms'}.`];
    });
  });
}

/** Finds cyclic rows, because a cyclic table would allow everything. */
export function roomCycles(rooms: Rooms): string[] {
  const canReach = (from: string, to: string, seen: ReadonlySet<string>): boolean =>
    (rooms[from] ?? []).some(
      (next) => next === to || (!seen.has(next) && canReach(next, to, new Set([...seen, next]))),
    );
  return Object.keys(rooms).filter((room) => canReach(room, room, new Set()));
}

function findRoom(base: string, path: string): string | undefined {
  const [room, ...rest] = path.slice(base.length + 1).split('/');
  return rest.length > 0 ? room : undefined;
}
