/** Sets the entry as the newest one of the map, and deletes the oldest one if the map has more than `maxEntries`. */
export function setBounded<K, V>(map: Map<K, V>, key: K, value: V, maxEntries: number): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= maxEntries) return;
  for (const oldest of map.keys()) return void map.delete(oldest);
}
