// The countries that have IBANs, and how long theirs are. Source: the SWIFT registry, by way of ibantools.
import { getCountrySpecifications } from 'ibantools';

const lengths = new Map(
  Object.entries(getCountrySpecifications()).flatMap(([country, { chars }]) =>
    chars ? [[country, chars] as const] : [],
  ),
);

export const ibanLength = (country: string): number | undefined => lengths.get(country.toUpperCase());

/** 34 characters in groups of four, three separators between two of them, code units. */
export const IBAN_SPAN = 64;

const head = /(?:^|[^A-Za-z0-9])([A-Za-z]{2})\d{2}[A-Za-z0-9._*-]*$/;

/** Whether a word may be the first of an IBAN written in groups. */
export function opensIban(word: string): boolean {
  const country = head.exec(word)?.[1];
  return country !== undefined && lengths.has(country.toUpperCase());
}
