// Writes the table of the verbs for docs/security.md: the scope of each, and its answer for an end client.
import { API, API_VERBS, PUBLIC_ANSWERS, isOperatorVerb, type ApiVerb, type PublicVerb } from '@millrace/contracts';

const isPublicVerb = (verb: ApiVerb): verb is PublicVerb => verb in PUBLIC_ANSWERS;

const join = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');
const listMembers = (schema: object): string[] => ('shape' in schema ? Object.keys(Object(schema.shape)) : []);

/** Rows in Markdown: a row for each verb of end clients, and one for those of operators. */
export function writeRightsTable(): string {
  const rows = API_VERBS.filter((verb) => !isOperatorVerb(verb)).map((verb) => {
    const { scope, shows } = API[verb];
    const members = listMembers(isPublicVerb(verb) ? PUBLIC_ANSWERS[verb] : API[verb].answer);
    return `| \`${verb}\` | \`${scope}\` | ${join(members)} | ${shows.join(', ')} |`;
  });
  const ofOperators = join(API_VERBS.filter(isOperatorVerb));
  return [
    '| verb | scope | members of the answer | of the definition |',
    '|---|---|---|---|',
    ...rows,
    `| ${ofOperators} | \`operate\`, \`admin\` | none: operators alone | |`,
  ].join('\n');
}
