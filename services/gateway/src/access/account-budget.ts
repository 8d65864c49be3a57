// Bounds an amount that accounts hold at the same time, such as open streams or bytes: of one account, and of all.

export type AccountBudget = {
  /** Takes an amount. Returns the bound that has no room for it: then nothing is taken. @param most bound of this account */
  take(account: string, amount: number, most: number): 'account' | 'all' | undefined;
  /** Gives an amount back that was taken. */
  give(account: string, amount: number): void;
};

export function createAccountBudget(mostOfAll: number): AccountBudget {
  const held = new Map<string, number>();
  let total = 0;
  return {
    take(account, amount, most) {
      const own = (held.get(account) ?? 0) + amount;
      if (own > most) return 'account';
      if (total + amount > mostOfAll) return 'all';
      held.set(account, own);
      total += amount;
      return undefined;
    },
    give(account, amount) {
      total -= amount;
      const left = (held.get(account) ?? 0) - amount;
      if (left > 0) held.set(account, left);
      else held.delete(account);
    },
  };
}
