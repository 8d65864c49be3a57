// Reads apt's own list of sources (sources.list(5)), in the one-line and in the deb822 form, and picks Debian's archive from it.
// Pure text: the mirror that a machine is set up with is the one that it can reach, so none is ever guessed.

/** One entry for binary packages of one or more suites at one address. */
export type AptSource = {
  uri: string;
  suites: readonly string[];
  components: readonly string[];
  /** Options that decide whether apt trusts the archive, by their deb822 names, as they were written. */
  trust: Readonly<Record<string, string>>;
};

/** deb822 field names by the lower-case name of the option. */
const trustFields: Readonly<Record<string, string>> = {
  'signed-by': 'Signed-By',
  trusted: 'Trusted',
  'check-valid-until': 'Check-Valid-Until',
  'check-date': 'Check-Date',
};

/** The binary entries of a `*.list` file. */
export function parseListFile(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[([^\]]*)\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (match === null) continue;
    const trust: Record<string, string> = {};
    for (const option of splitWords(match[1])) {
      const [name = '', value = ''] = option.split(/=(.*)/s);
      const field = trustFields[name.toLowerCase()];
      if (field !== undefined) trust[field] = value;
    }
    sources.push({ uri: match[2] ?? '', suites: [match[3] ?? ''], components: splitWords(match[4]), trust });
  }
  return sources;
}

/** The enabled binary entries of a `*.sources` file. */
export function parseDeb822File(text: string): AptSource[] {
  const withoutComments = text
    .split('\n')
    .filter((line) => !line.startsWith('#'))
    .join('\n');
  return withoutComments.split(/\n(?:[ \t]*\n)+/).flatMap(parseStanzaSources);
}

function parseStanzaSources(stanza: string): AptSource[] {
  const fields = new Map<string, string>();
  for (const [, name = '', value = ''] of stanza.matchAll(/^([A-Za-z0-9-]+):[ \t]*((?:.*)(?:\n[ \t].*)*)/gm)) {
    fields.set(name.toLowerCase(), value);
  }
  if (!splitWords(fields.get('types')).includes('deb') || fields.get('enabled')?.trim().toLowerCase() === 'no')
    return [];
  const trust: Record<string, string> = {};
  for (const [name, field] of Object.entries(trustFields)) {
    const value = fields.get(name);
    if (value !== undefined) trust[field] = value;
  }
  const suites = splitWords(fields.get('suites'));
  const components = splitWords(fields.get('components'));
  return splitWords(fields.get('uris')).map((uri) => ({ uri, suites, components, trust }));
}

/**
 * Returns Debian's own archive among the sources: `main`, without third-party archives for Debian. The likeliest first.
 */
export function selectDebianSources(sources: readonly AptSource[]): AptSource[] {
  return sources
    .filter((source) => source.components.includes('main') && rateLikelihood(source) > 0)
    .toSorted((a, b) => rateLikelihood(b) - rateLikelihood(a));
}

/** The entry for a whole release: its address is also that of the other suites. Not security updates or backports, which live apart. */
export function findBaseSource(sources: readonly AptSource[]): AptSource | undefined {
  return selectDebianSources(sources).find((source) => source.suites.some((suite) => /^[a-z]+$/.test(suite)));
}

/** The same sources as a deb822 file, `main` alone. */
export function formatDeb822(sources: readonly AptSource[]): string {
  return sources
    .map((source) => {
      const trust = Object.entries(source.trust).map(([field, value]) => `${field}: ${value}\n`);
      return `Types: deb\nURIs: ${source.uri}\nSuites: ${source.suites.join(' ')}\nComponents: main\n${trust.join('')}`;
    })
    .join('\n');
}

// Debian's keyring is the best sign; then its own host names; then the path that mirrors keep.
function rateLikelihood(source: AptSource): number {
  if (source.trust['Signed-By']?.includes('debian-archive')) return 3;
  if (/^[a-z+]+:\/\/[^/]*\bdebian\.org\//.test(`${source.uri}/`)) return 2;
  return /\/debian(-security)?\/?$/.test(source.uri) ? 1 : 0;
}

function splitWords(text: string | undefined): string[] {
  return (text ?? '').split(/\s+/).filter((word) => word !== '');
}
