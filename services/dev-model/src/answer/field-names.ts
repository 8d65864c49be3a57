// One spelling for what facts, questions and schema fields are about: `favoriteColor`, "favourite colour" and
// `favourite_colour` are one thing, and so are `city`, `location` and "home town".
const synonyms: readonly (readonly string[])[] = [
  ['name', 'full name', 'first name', 'user name', 'username', 'nickname', 'preferred name', 'given name'],
  ['city', 'location', 'home', 'town', 'home town', 'hometown', 'residence', 'place', 'home city', 'address'],
  ['likes', 'preference', 'preferences', 'interest', 'interests', 'hobby', 'hobbies', 'favourites', 'passions'],
  ['dislikes', 'aversions', 'pet peeves'],
  ['occupation', 'job', 'profession', 'role', 'work', 'job title'],
  ['employer', 'company', 'organisation', 'workplace'],
  ['origin', 'home country', 'nationality', 'country of origin'],
  ['languages', 'language', 'spoken languages'],
  ['goals', 'goal', 'plans', 'aims', 'objectives'],
  ['birthday', 'birth date', 'birthdate', 'date of birth', 'birth day'],
  ['email', 'e mail', 'email address', 'e mail address', 'mail address'],
  ['notes', 'note', 'facts', 'memories', 'statements', 'observations'],
  ['phone', 'phone number', 'telephone', 'telephone number', 'mobile', 'mobile number'],
];

const canonical = new Map(synonyms.flatMap(([first = '', ...others]) => [first, ...others].map((one) => [one, first])));

/** The canonical words for a field's identifier or a noun phrase. */
export function canonicalField(name: string): string {
  const words = name
    .replaceAll(/(?<=[\p{Ll}\d])(?=\p{Lu})/gu, ' ')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}']+/gu, ' ')
    .trim()
    .replaceAll('color', 'colour')
    .replaceAll('favorite', 'favourite')
    .replaceAll('organization', 'organisation')
    .replace(/^(?:user(?:'s)?|current) (?=\S)/, '');
  return canonical.get(words) ?? words;
}
