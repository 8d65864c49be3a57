// Whether digits are a phone number: the numbering plans of libphonenumber. A look-up costs about 10 µs a region, so there is a
// bound for one call; above it the text counts as not judged.
import {
  getCountryCallingCode,
  isValidPhoneNumber,
  parsePhoneNumberFromString,
  type CountryCode,
} from 'libphonenumber-js/min';
import { createCounter } from '../guard/bounds.ts';
import type { PhoneBook } from './pii-types.ts';

const NORTH_AMERICA = '1';

/** For one call. @param regions where a number without a country code may be from */
export function createPhoneBook(regions: readonly CountryCode[]): PhoneBook {
  const count = createCounter('lookups');
  const isNorthAmerica = (region: CountryCode) => getCountryCallingCode(region) === NORTH_AMERICA;
  const elsewhere = regions.filter((region) => !isNorthAmerica(region));
  const lookUp = (isNumber: () => boolean) => {
    count();
    return isNumber();
  };
  return {
    hasNorthAmerica: elsewhere.length < regions.length,
    isNational: (digits) => elsewhere.some((region) => lookUp(() => isValidPhoneNumber(digits, region))),
    // Possible is enough after a plus sign: numbers made up for examples are in no plan.
    isInternational: (digits) => lookUp(() => parsePhoneNumberFromString(`+${digits}`)?.isPossible() ?? false),
  };
}
