// Which peers an orchestrator watches: the next two in the order of their ids, around a ring. Each peer is so watched by two others, whatever
// the number of orchestrators. Pure.

const WATCHED = 2;

/** @param peers ids of all orchestrators; the own one may be among them */
export function nextPeers(own: string, peers: Iterable<string>): string[] {
  const others = [...new Set(peers)].filter((id) => id !== own).toSorted();
  const from = others.findIndex((id) => id > own);
  const inOrder = from < 0 ? others : [...others.slice(from), ...others.slice(0, from)];
  return inOrder.slice(0, WATCHED);
}
