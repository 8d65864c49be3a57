// Whether digits are a phone number: the numbering plans of libphonenumber. A look-up costs about 10 µs a region, so there is a
// bound for one text; past it everything that has the shape of a number counts as one. Slow must not become unfiltered.
import {
  getCountryCallingCode,
  isValidPhoneNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/min';
import type { PhoneBook } from './pii-types.ts';

export const MAX_LOOKUPS_PER_TEXT = 5_000;
const NORTH_AMERICA = '1';

/** For one text. @param regions where a number without a country code may be from */
export function createPhoneBook(regions: readonly CountryCode[]): PhoneBook {
  let left = MAX_LOOKUPS_PER_TEXT;
  const isNorthAmerica = (region: CountryCode) => getCountryCallingCode(region) === NORTH_AMERICA;
  const elsewhere = regions.filter((region) => !isNorthAmerica(region));
  const lookUp = (isNumber: () => boolean) => {
    left -= 1;
    return left < 0 || isNumber();
  };
  return {
    hasNorthAmerica: elsewhere.length < regions.length,
    isNational: (digits) => elsewhere.some((region) => lookUp(() => isValidPhoneNumber(digits, region))),
    // Possible is enough behind a plus sign: numbers made up for examples are in no plan.
    isInternational: (digits) => lookUp(() => parsePhoneNumberFromString(`+${digits}`)?.isPossible() ?? false),
  };
}
