// Bounds an amount that accounts hold at the same time, such as requests, open streams or bytes: of one account, and of all.

export type PlaceBounds = {
  /** Maximum of all accounts. */
  all: number;
  /** Part of each bound that a party without an amount has on top, so that one party does not hold all places. Default 0. */
  share?: number;
};

/** @param party of the account, unique among all accounts; by default the account. @param most bound of the account; by default that of all */
export type PlaceHolder = { account: string; party?: string; most?: number };

export type HeldPlace = {
  /** Takes an amount. Returns the bound that has no room for it: then nothing is taken. A freed place has no room. */
  grow(amount: number): 'account' | 'all' | undefined;
  /** Gives back the amount. Idempotent. */
  free(): void;
};

/** Returns a function that opens an empty place. */
export function createPlaces({ all, share = 0 }: PlaceBounds): (holder: PlaceHolder) => HeldPlace {
  const accounts = new Map<string, number>();
  const parties = new Map<string, number>();
  let total = 0;
  return ({ account, party = account, most = all }) => {
    let own = 0;
    let isFree = false;
    const add = (amount: number) => {
      own += amount;
      total += amount;
      addTo(accounts, account, amount);
      addTo(parties, party, amount);
    };
    return {
      grow(amount) {
        const part = parties.has(party) ? 0 : share;
        const hasRoom = (held: number, bound: number) => held + amount <= bound + Math.ceil(bound * part);
        if (isFree || !hasRoom(accounts.get(account) ?? 0, most)) return 'account';
        if (!hasRoom(total, all)) return 'all';
        add(amount);
        return undefined;
      },
      free() {
        isFree = true;
        add(-own);
      },
    };
  };
}

/** A name with 0 takes no memory. */
function addTo(amounts: Map<string, number>, name: string, more: number): void {
  const amount = (amounts.get(name) ?? 0) + more;
  if (amount > 0) amounts.set(name, amount);
  else amounts.delete(name);
}
