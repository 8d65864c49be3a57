// A family of generated texts: what one attacker wants, or what one kind of harmless text says.

/** `where`: whose texts these are; both where either may be. */
export type Family = { id: string; where: 'user' | 'tool' | 'both'; templates: readonly string[] };
