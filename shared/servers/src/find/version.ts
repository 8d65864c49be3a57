// Parses the versions that the three servers print, to compare them: three numbers, with a pre-release older than its
// release (Semantic Versioning 2.0.0, section 11). Two pre-releases of one version are equal.

export type Version = {
  major: number;
  minor: number;
  patch: number;
  /** Suffix after the numbers, with its hyphen, such as `-RC.1`; empty for a release. */
  preRelease: string;
};

// The patch may be missing. A letter or another dot before the number would make it part of a word or of an address.
const VERSION_PATTERN = /(?<![\w.])v?=?(\d+)\.(\d+)(?:\.(\d+))?(-[0-9A-Za-z.-]+)?/;

/**
 * The first version in the text that `--version` prints, or undefined. Known forms: `nats-server: v2.15.1`,
 * `Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 ...`, `qdrant 1.15.4`.
 */
export function parseVersion(text: string): Version | undefined {
  const match = VERSION_PATTERN.exec(text);
  if (match === null) return undefined;
  return {
    major: Number(match[1]),
    minor: Number(match[2]),
    patch: Number(match[3] ?? 0),
    preRelease: match[4] ?? '',
  };
}

/** Negative when a is older than b, positive when newer, 0 when they count as equal. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.major - b.major ||
    a.minor - b.minor ||
    a.patch - b.patch ||
    Number(a.preRelease === '') - Number(b.preRelease === '')
  );
}

export function formatVersion(version: Version): string {
  return `${version.major}.${version.minor}.${version.patch}${version.preRelease}`;
}
